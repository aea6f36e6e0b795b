# SPDX-License-Identifier: BSD-3-Clause
# Removes what installations of weft have put under PREFIX, by the list that they keep there (InstallEnd.cmake), and
# nothing else. Directories go only if they are empty then.
#
# usage: cmake -DPREFIX=/usr/local -P Uninstall.cmake
cmake_policy(VERSION 3.25)
get_filename_component(prefix "${PREFIX}" ABSOLUTE)
set(top $ENV{DESTDIR}${prefix})
set(list lib/weft/installed.txt)
if(NOT EXISTS ${top}/${list})
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo
    "weft: nothing to remove: no installation is recorded in ${top}/${list}")
  return()
endif()

file(STRINGS ${top}/${list} installed)
set(files 0)
set(left "")
foreach(path ${installed})
  if(IS_ABSOLUTE "${path}" OR "/${path}/" MATCHES "/\\.\\./")
    message(FATAL_ERROR "weft: ${top}/${list} is damaged: ${path}")
  elseif(path MATCHES "/$")
    execute_process(COMMAND rmdir ${top}/${path} ERROR_QUIET)
  elseif(EXISTS ${top}/${path} OR IS_SYMLINK ${top}/${path})
    file(REMOVE ${top}/${path})
    if(EXISTS ${top}/${path} OR IS_SYMLINK ${top}/${path})
      list(APPEND left ${path})
    endif()
    math(EXPR files "${files} + 1")
  endif()
endforeach()
if(left)
  message(FATAL_ERROR "weft: cannot remove ${left} under ${top}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "weft: removed ${files} files from ${top}")
