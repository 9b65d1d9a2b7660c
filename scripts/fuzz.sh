#!/usr/bin/env bash
# fuzz.sh: makes up inputs for every parser under sanitizers, and adds up over all calls how many.
#   scripts/fuzz.sh 600            for 600 seconds in all, two parsers at a time
#   scripts/fuzz.sh --inputs 1e7   until each parser has read so many inputs, over all calls
#   scripts/fuzz.sh --table        only what was reached so far
# Inputs that reached something new stay in build/fuzz-corpus, findings in build/fuzz-findings.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [ "${1:-}" != --table ]; then
  install_packages "${build_packages[@]}" "${test_packages[@]}"
  build fuzz
fi
exec /usr/bin/python3 tests/fuzz/campaign.py "$@"
