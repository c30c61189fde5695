# The rewrite rules become C++: rulec reads src/rules/*.rules and writes what src/rules includes. It runs on the building
# machine, so that a cross build compiles it with that machine's compiler.

set(rule_sources ${PROJECT_SOURCE_DIR}/tools/rulec)
set(rule_includes ${PROJECT_BINARY_DIR}/generated)
set(rule_output ${rule_includes}/rules)
file(MAKE_DIRECTORY ${rule_output})
file(GLOB rule_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/rules/*.rules)
file(GLOB rulec_sources CONFIGURE_DEPENDS ${rule_sources}/*.cpp)
list(FILTER rulec_sources EXCLUDE REGEX /main[.]cpp$)

if(CMAKE_CROSSCOMPILING)
  find_program(BRAID_HOST_CXX NAMES c++ g++ clang++ clang++-19 NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  set(rulec ${PROJECT_BINARY_DIR}/rulec)
  file(GLOB rulec_headers CONFIGURE_DEPENDS ${rule_sources}/*.h)
  add_custom_command(OUTPUT ${rulec}
                     COMMAND ${BRAID_HOST_CXX} -std=c++20 -O1 -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include
                             ${rule_sources}/main.cpp ${rulec_sources} ${PROJECT_SOURCE_DIR}/src/ir/op.cpp -o ${rulec}
                     DEPENDS ${rule_sources}/main.cpp ${rulec_sources} ${rulec_headers} ${PROJECT_SOURCE_DIR}/src/ir/op.cpp
                             ${PROJECT_SOURCE_DIR}/src/ir/ops.def
                     COMMENT "Building rulec for this machine" VERBATIM)
else()
  # A library, too: the tests prove the rules from the same text.
  add_library(rulec_core STATIC ${rulec_sources})
  target_include_directories(rulec_core PUBLIC ${rule_sources} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(rulec_core PUBLIC braid_ir PRIVATE braid_library_flags)
  add_executable(rulec ${rule_sources}/main.cpp)
  target_link_libraries(rulec PRIVATE rulec_core braid_library_flags)
  set(rulec rulec)
endif()

set(rule_outputs ${rule_output}/rule_ids.inc ${rule_output}/rule_table.inc ${rule_output}/rule_matcher.inc
                 ${rule_output}/rule_operands.inc)
add_custom_command(OUTPUT ${rule_outputs}
                   COMMAND ${rulec} --out=${rule_output} ${rule_files}
                   DEPENDS ${rulec} ${rule_files}
                   COMMENT "Compiling the rewrite rules" VERBATIM)
target_sources(braid_rules PRIVATE ${rule_outputs})
target_include_directories(braid_rules PUBLIC ${rule_includes})
