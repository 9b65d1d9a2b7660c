#!/usr/bin/env bash
# build.sh BUILD: installs the library built in folder BUILD into a scratch place, and builds the
# project beside this file against it: by find_package, and by the flags of pkg-config.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$1" --prefix "$scratch/place" >/dev/null
libraries=$(dirname "$(find "$scratch/place" -name 'libmurmur.*' -print -quit)")
headers=$scratch/place/include/murmur

cmake -S "$here" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/place" \
  -DMURMUR_HEADERS="$headers" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
cmake --build "$scratch/build" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
"$scratch/build/consumer"

export PKG_CONFIG_PATH=$libraries/pkgconfig
# shellcheck disable=SC2046
c++ -std=c++20 $(pkg-config --cflags murmur) "$here/main.cpp" -o "$scratch/by_flags" \
  $(pkg-config --static --libs murmur)
LD_LIBRARY_PATH=$libraries "$scratch/by_flags"
