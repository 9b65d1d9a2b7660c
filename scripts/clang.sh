#!/usr/bin/env bash
# clang.sh: builds library and program with clang 14, warnings as errors; the hashes of the reference
# engine and the conformance tests must be those of gcc.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_packages "${build_packages[@]}" "${test_packages[@]}"
build clang
say "hashes and conformance, compiled by clang"
build/clang/tests/tests_golden --gtest_brief=1
build/clang/tests/tests_conformance --gtest_brief=1
