# All ctest entries. BRAID_TEST_PREFIX keeps the names apart when the tests of several builds run as one (./dev test).

# braid_test(<name> COMMAND ...)  from the top of the source tree, because golden files name their paths from there.
function(braid_test name)
  add_test(NAME ${BRAID_TEST_PREFIX}${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} ${ARGN})
endfunction()

# Unit tests: tests/unit/<room>_<subject>_test.cpp, one GoogleTest binary test_<room> and one entry per room.
if(BRAID_UNIT_TESTS)
  find_package(GTest REQUIRED)

  # braid_unit_test(<name> <sources>... LINK <targets>...)
  function(braid_unit_test name)
    cmake_parse_arguments(PARSE_ARGV 1 UNIT "" "" "LINK")
    add_executable(test_${name} ${UNIT_UNPARSED_ARGUMENTS})
    target_link_libraries(test_${name} PRIVATE ${UNIT_LINK} braid_flags GTest::gtest_main)
    target_compile_definitions(test_${name} PRIVATE BRAID_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    braid_test(${name} COMMAND test_${name})
    if(BRAID_ALL_STRESS_POINTS)
      set_tests_properties(${BRAID_TEST_PREFIX}${name} PROPERTIES ENVIRONMENT BRAID_ALL_STRESS_POINTS=1)
    endif()
  endfunction()

  get_property(rooms GLOBAL PROPERTY braid_rooms)
  foreach(room IN LISTS rooms)
    string(REPLACE "/" "_" room_id ${room})
    file(GLOB sources CONFIGURE_DEPENDS tests/unit/${room_id}_*_test.cpp)
    if(sources)
      get_property(others GLOBAL PROPERTY braid_test_rooms_${room})
      list(TRANSFORM others REPLACE "/" "_")
      list(TRANSFORM others PREPEND braid_)
      braid_unit_test(${room_id} ${sources} LINK braid_${room_id} ${others})
    endif()
  endforeach()

  # The direction of the includes.
  braid_unit_test(layers tests/layers/layers.cpp tests/layers/layers_test.cpp)

  # An installed tree works for a stranger: find_package and pkg-config.
  set(consumer ${PROJECT_SOURCE_DIR}/tests/consumer/check.sh ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}
               ${CMAKE_CXX_COMPILER})
  if(EXISTS ${PROJECT_SOURCE_DIR}/include/braid/braid.h AND NOT BRAID_SANITIZE)
    braid_test(consumer COMMAND ${consumer})
    if(BRAID_PACKAGE_TEST)
      braid_test(package COMMAND ${consumer} --package)
    endif()
  endif()
endif()

# Golden files, the examples among them; a wasm build runs them through its emulator, node.
if(TARGET braid_tool)
  braid_test(golden COMMAND braid_tool test $<$<BOOL:${BRAID_ALL_STRESS_POINTS}>:--all-points> tests/files examples
             COMMAND_EXPAND_LISTS)
endif()

# A folder of tests may bring its own entries.
file(GLOB test_folders CONFIGURE_DEPENDS tests/*/CMakeLists.txt)
list(FILTER test_folders EXCLUDE REGEX /tests/consumer/)
foreach(file IN LISTS test_folders)
  get_filename_component(folder ${file} DIRECTORY)
  add_subdirectory(${folder})
endforeach()
