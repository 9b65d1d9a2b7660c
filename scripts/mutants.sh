#!/usr/bin/env bash
# mutants.sh: leaves out every refusal of the program in turn, and tells which ones no test notices.
#   scripts/mutants.sh                     all of them, going on where an earlier call was stopped
#   scripts/mutants.sh --files src/run     those of some files
#   scripts/mutants.sh --most 100          exit 1 where more than so many are not noticed
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source scripts/mnist.sh

install_packages "${build_packages[@]}" "${picture_packages[@]}" "${test_packages[@]}"
fetch_mnist
exec /usr/bin/python3 tests/mutants/run.py "$@"
