# Installation: the archive, the public headers, the tool, find_package(braid), pkg-config, and a .deb by CPack.

if(NOT TARGET braid)
  return()
endif()

include(CMakePackageConfigHelpers)
set(braid_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/braid)

install(TARGETS braid EXPORT braidTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/braid DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(EXPORT braidTargets NAMESPACE braid:: DESTINATION ${braid_cmake_dir})
configure_package_config_file(cmake/braidConfig.cmake.in ${PROJECT_BINARY_DIR}/braidConfig.cmake
                              INSTALL_DESTINATION ${braid_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/braidConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/braidConfig.cmake ${PROJECT_BINARY_DIR}/braidConfigVersion.cmake
        DESTINATION ${braid_cmake_dir})

# The prefix is computed from the place of the file, so that a moved or staged tree still works.
file(RELATIVE_PATH braid_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/braid.pc.in ${PROJECT_BINARY_DIR}/braid.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/braid.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET braid_tool)
  install(TARGETS braid_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# The tool writes its own man page and completions, from its table of options.
if(TARGET braid_tool AND NOT CMAKE_CROSSCOMPILING)
  set(braid_pages ${PROJECT_BINARY_DIR}/pages)
  foreach(page IN ITEMS man:braid.1 bash:braid.bash zsh:_braid fish:braid.fish)
    string(REPLACE ":" ";" page ${page})
    list(GET page 0 subject)
    list(GET page 1 file)
    add_custom_command(OUTPUT ${braid_pages}/${file}
                       COMMAND ${CMAKE_COMMAND} -E make_directory ${braid_pages}
                       COMMAND braid_tool generate ${subject} -o ${braid_pages}/${file}
                       DEPENDS braid_tool)
    list(APPEND braid_page_files ${braid_pages}/${file})
  endforeach()
  add_custom_target(braid_pages ALL DEPENDS ${braid_page_files})
  install(FILES ${braid_pages}/braid.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${braid_pages}/braid.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME braid)
  install(FILES ${braid_pages}/_braid DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${braid_pages}/braid.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME braid)
set(CPACK_PACKAGE_VENDOR Braid)
set(CPACK_PACKAGE_CONTACT "The Braid authors <braid@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "SSA compiler toolkit: library and command-line tool")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
include(CPack)
