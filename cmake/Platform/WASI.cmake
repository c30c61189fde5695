# CMake 3.25 does not know the system WASI; static libraries and programs are all it needs to know.
set(UNIX 1)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
