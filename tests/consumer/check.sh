#!/bin/sh
# Stages an install of a build folder in a temporary prefix, then builds and runs the consumer programs against it, once
# through find_package and once through pkg-config.
# With --package it uses the files of the .deb instead.
# usage: check.sh BUILD_DIR SOURCE_DIR CXX [--package]
set -eu

build=$1
source=$2
cxx=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }

if [ "${4:-}" = --package ]; then
  (cd "$build" && quietly cpack -B "$work/package")
  quietly dpkg-deb -x "$work"/package/*.deb "$work/root"
  prefix=$work/root/usr
else
  prefix=$work/prefix
  quietly cmake --install "$build" --prefix "$prefix"
fi

# Only the public headers may be installed: a stray one would hide a header that is missing.
if find "$prefix/include" -type f ! -path '*/include/braid/*.h' | grep .; then
  echo "files above are installed but are not public headers"
  exit 1
fi

expect_last_line() {  # PROGRAM TEXT
  "$1" >"$work/out"
  if [ "$(tail -n 1 "$work/out")" != "$2" ]; then
    echo "$1: expected the last line '$2', got:"
    cat "$work/out"
    exit 1
  fi
  echo "ok: ${1#"$work"/} printed $2"
}

expect_all() {  # FOLDER
  expect_last_line "$1/first_program" 5050
  expect_last_line "$1/intrinsic" 42
  expect_last_line "$1/lazy_phis" 2432902008176640000
  expect_last_line "$1/analysis" '3 1 null|i64[0..9]'
  expect_last_line "$1/own_bytecode" 100
}

quietly cmake -S "$source/tests/consumer" -B "$work/by_cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release
quietly cmake --build "$work/by_cmake"
expect_all "$work/by_cmake"

if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name braid.pc)")
  export PKG_CONFIG_PATH
  mkdir "$work/by_pkg_config"
  for file in main:first_program intrinsic:intrinsic lazy_phis:lazy_phis analysis:analysis \
      ../../examples/own_bytecode:own_bytecode; do
    input=$source/tests/consumer/${file%%:*}.cpp
    # shellcheck disable=SC2046  # the flags are meant to be split
    "$cxx" -std=c++20 -O1 $(pkg-config --cflags braid) "$input" $(pkg-config --libs braid) \
      -o "$work/by_pkg_config/${file##*:}"
  done
  expect_all "$work/by_pkg_config"
else
  echo "pkg-config is not installed: that half of the test did not run"
  exit 1
fi

if [ -x "$prefix/bin/braid" ]; then "$prefix/bin/braid" --version; fi
