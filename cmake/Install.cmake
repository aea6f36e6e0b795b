# SPDX-License-Identifier: BSD-3-Clause
# bin/weft finds its libraries as ../lib/weft/ beside it, wherever the prefix is; so they do not go into a multiarch
# folder.
include(CMakePackageConfigHelpers)

# Directories of the prefix that other programs use, too. Those that exist before the installation are not weft's to
# remove.
set(shared bin include lib lib/cmake lib/pkgconfig share share/bash-completion share/bash-completion/completions
  share/doc share/man share/man/man1)
install(CODE "set(shared \"${shared}\")")
install(SCRIPT cmake/InstallBegin.cmake)

install(TARGETS weft RUNTIME DESTINATION bin)
get_property(aliases GLOBAL PROPERTY WEFT_ALIASES)
list(TRANSFORM aliases PREPEND ${CMAKE_BINARY_DIR}/bin/)
install(PROGRAMS ${aliases} DESTINATION bin)
install(TARGETS weft_front LIBRARY DESTINATION lib/weft)
foreach(flavour ${WEFT_FLAVOURS})
  install(TARGETS weft_${flavour} LIBRARY DESTINATION lib/weft)
endforeach()
install(DIRECTORY include/weft DESTINATION include)
install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION share/man/man1 FILES_MATCHING PATTERN "*.1")
install(DIRECTORY ${CMAKE_BINARY_DIR}/completion/ DESTINATION share/bash-completion/completions)
install(FILES README.md LICENSE DESTINATION share/doc/weft)
install(DIRECTORY docs/ DESTINATION share/doc/weft FILES_MATCHING PATTERN "*.md")
install(DIRECTORY examples DESTINATION share/doc/weft FILES_MATCHING PATTERN "*.c")

# find_package(weft) gives weft::weft (the headers) and WEFT_EXECUTABLE.
add_library(weft_headers INTERFACE)
target_include_directories(weft_headers INTERFACE $<INSTALL_INTERFACE:include>)
set_target_properties(weft_headers PROPERTIES EXPORT_NAME weft)
install(TARGETS weft_headers EXPORT weft-targets)
install(EXPORT weft-targets NAMESPACE weft:: DESTINATION lib/cmake/weft)
configure_package_config_file(cmake/weft-config.cmake.in ${CMAKE_BINARY_DIR}/weft-config.cmake
  INSTALL_DESTINATION lib/cmake/weft)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/weft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/weft-config.cmake ${CMAKE_BINARY_DIR}/weft-config-version.cmake
  DESTINATION lib/cmake/weft)

configure_file(cmake/weft.pc.in ${CMAKE_BINARY_DIR}/weft.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/weft.pc DESTINATION lib/pkgconfig)

install(SCRIPT cmake/InstallEnd.cmake)
