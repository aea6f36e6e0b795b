# SPDX-License-Identifier: BSD-3-Clause
# First step of an installation. `kept` becomes the list of shared directories that were there before weft, `installed`
# what an earlier installation under this prefix has put there (InstallEnd.cmake).
cmake_policy(VERSION 3.25)
get_filename_component(prefix "${CMAKE_INSTALL_PREFIX}" ABSOLUTE)
set(top $ENV{DESTDIR}${prefix})
set(installed "")
if(EXISTS ${top}/lib/weft/installed.txt)
  file(STRINGS ${top}/lib/weft/installed.txt installed)
endif()
set(kept "")
foreach(directory ${shared})
  if(IS_DIRECTORY ${top}/${directory} AND NOT ${directory}/ IN_LIST installed)
    list(APPEND kept ${directory})
  endif()
endforeach()
