# The command-line tool.

file(GLOB tool_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/braid/*.cpp)
if(tool_sources)
  add_executable(braid_tool ${tool_sources})
  set_target_properties(braid_tool PROPERTIES OUTPUT_NAME braid RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  target_compile_definitions(braid_tool PRIVATE BRAID_VERSION="${PROJECT_VERSION}")
  target_link_libraries(braid_tool PRIVATE braid_driver braid_library_flags)
  # tools/braid/memory_meter.cpp counts what is allocated.
  target_link_options(braid_tool PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL WASI)
    find_package(Threads REQUIRED)
    target_link_libraries(braid_tool PRIVATE Threads::Threads)
  endif()
endif()
