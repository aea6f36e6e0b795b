# SPDX-License-Identifier: BSD-3-Clause
# Finds the MPI libraries weft can watch. For each flavour found: WEFT_<flavour>_CC, _INCLUDES (a list), _LIBRARY; and
# the list WEFT_FLAVOURS. Debian installs both side by side as mpicc.openmpi and mpicc.mpich; elsewhere set
# WEFT_ompi_CC or WEFT_mpich_CC.
set(WEFT_FLAVOURS "")

function(weft_find_flavour flavour wrapper show)
  find_program(WEFT_${flavour}_CC NAMES ${wrapper})
  if(NOT WEFT_${flavour}_CC)
    message(STATUS "MPI flavour ${flavour}: not found (no ${wrapper}); programs of this MPI will not be watched")
    return()
  endif()
  execute_process(COMMAND ${WEFT_${flavour}_CC} ${show} OUTPUT_VARIABLE line OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words UNIX_COMMAND "${line}")
  set(includes "")
  set(dirs "")
  foreach(word ${words})
    if(word MATCHES "^-I(.+)")
      list(APPEND includes ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-L(.+)")
      list(APPEND dirs ${CMAKE_MATCH_1})
    endif()
  endforeach()
  set(WEFT_${flavour}_INCLUDES "${includes}" PARENT_SCOPE)
  set(WEFT_${flavour}_LIBDIRS "${dirs}" PARENT_SCOPE)
  set(WEFT_FLAVOURS ${WEFT_FLAVOURS} ${flavour} PARENT_SCOPE)
  message(STATUS "MPI flavour ${flavour}: ${WEFT_${flavour}_CC}")
endfunction()

weft_find_flavour(ompi mpicc.openmpi --showme)
weft_find_flavour(mpich mpicc.mpich -show)
if(NOT WEFT_FLAVOURS)
  message(FATAL_ERROR "No MPI library found: install libopenmpi-dev or libmpich-dev (make deps does), "
    "or set WEFT_ompi_CC or WEFT_mpich_CC.")
endif()
