# Unit tests: tests/unit/<room>_<subject>_test.cpp, one GoogleTest binary test_<room> and one ctest entry per room.

find_package(GTest REQUIRED)
get_property(rooms GLOBAL PROPERTY braid_rooms)
foreach(room IN LISTS rooms)
  string(REPLACE "/" "_" room_id ${room})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/${room_id}_*_test.cpp)
  if(NOT sources)
    continue()
  endif()
  add_executable(test_${room_id} ${sources})
  get_property(others GLOBAL PROPERTY braid_test_rooms_${room})
  list(TRANSFORM others REPLACE "/" "_")
  list(TRANSFORM others PREPEND braid_)
  target_link_libraries(test_${room_id} PRIVATE braid_${room_id} ${others} braid_flags GTest::gtest_main)
  target_compile_definitions(test_${room_id} PRIVATE BRAID_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${room_id} COMMAND test_${room_id})
endforeach()

# The direction of the includes.
add_executable(test_layers ${PROJECT_SOURCE_DIR}/tests/layers/layers.cpp
                           ${PROJECT_SOURCE_DIR}/tests/layers/layers_test.cpp)
target_link_libraries(test_layers PRIVATE braid_flags GTest::gtest_main)
target_compile_definitions(test_layers PRIVATE BRAID_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
add_test(NAME layers COMMAND test_layers)
