#!/usr/bin/env bash
# aarch64.sh: builds the engines for aarch64 by Debian's cross compiler; the hashes of the reference
# engine and the conformance tests must pass under qemu.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_packages "${build_packages[@]}" g++-aarch64-linux-gnu qemu-user-static googletest
build aarch64
say "hashes and conformance on aarch64, under qemu"
ctest --test-dir build/aarch64 --output-on-failure -j"$(nproc)" --timeout 3600
