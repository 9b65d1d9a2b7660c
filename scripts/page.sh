#!/usr/bin/env bash
# page.sh: builds the web page into studio/dist: the core as WebAssembly, the digits, the page itself.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source scripts/mnist.sh

install_packages "${page_packages[@]}"
provide_node
scripts/wasm.sh
fetch_mnist
/usr/bin/python3 scripts/page_digits.py
say "the page"
install_modules
(cd studio && npm run --silent build)
printf '\nThe page is in studio/dist. Open it with\n  build/release/murmur studio --open\n'
