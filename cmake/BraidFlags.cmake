# Compiler settings. They hang on two interface targets instead of global variables, so that tests may use exceptions
# (GoogleTest needs them) while the library may not.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Release means -O2 without asserts; CMake's own default would be -O3.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

add_library(braid_flags INTERFACE)
target_compile_features(braid_flags INTERFACE cxx_std_20)
target_compile_options(braid_flags INTERFACE -Wall -Wextra)
if(BRAID_WERROR)
  target_compile_options(braid_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 warns of its own std::string (bug 105329), and under the sanitizers of its own std::function.
  target_compile_options(braid_flags INTERFACE -Wno-restrict $<$<BOOL:${BRAID_SANITIZE}>:-Wno-maybe-uninitialized>)
endif()
if(BRAID_SANITIZE)
  # The library has no type information, which checks of virtual calls would need.
  set(sanitizers -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(braid_flags INTERFACE ${sanitizers})
  target_link_options(braid_flags INTERFACE ${sanitizers})
endif()
if(BRAID_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "BRAID_FUZZ needs clang (libFuzzer); configure with -DCMAKE_CXX_COMPILER=clang++-19")
  endif()
  # Coverage counters in the library are what guides the fuzzer.
  target_compile_options(braid_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(braid_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# What only the library and the tool are compiled with.
add_library(braid_library_flags INTERFACE)
target_link_libraries(braid_library_flags INTERFACE braid_flags)
target_compile_options(braid_library_flags INTERFACE -fno-exceptions -fno-rtti)
