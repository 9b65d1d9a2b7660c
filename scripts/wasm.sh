#!/usr/bin/env bash
# wasm.sh: builds the page's two cores, murmur and murmur_words (.mjs, .wasm), into studio/src/core/wasm.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_packages emscripten nodejs cmake ninja-build git libeigen3-dev libhwy-dev libfmt-dev \
  nlohmann-json3-dev libtomlplusplus-dev
export NODE_PATH=/usr/share/nodejs  # where Debian keeps what emscripten's own scripts need
build wasm
mkdir -p studio/src/core/wasm
for file in murmur.mjs murmur.wasm murmur_words.mjs murmur_words.wasm; do
  cmp -s "build/wasm/$file" "studio/src/core/wasm/$file" || cp "build/wasm/$file" studio/src/core/wasm/
done
node scripts/page_core.mjs
for core in murmur murmur_words; do
  printf '%s bytes of %s.wasm, %s packed\n' "$(stat -c %s build/wasm/$core.wasm)" $core \
    "$(gzip -9c build/wasm/$core.wasm | wc -c)"
done
