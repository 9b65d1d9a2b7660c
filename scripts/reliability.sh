#!/usr/bin/env bash
# reliability.sh [KIND...]: every system call of a run failed in turn, and power lost at any instant,
# for the kinds of run that are named, or all. STATES=N distinct crashes a kind (10000), EVERY=M takes
# only every M-th failing call (1), SECONDS_EACH=S at most for each part of each kind, JOBS=J at once;
# what was counted goes to build/reliability/.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

program=${MURMUR:-build/release/murmur}
if [ -z "${MURMUR:-}" ]; then
  install_packages "${build_packages[@]}" "${test_packages[@]}"
  say "building (release)"
  cmake --preset release -DMURMUR_TESTS=ON >/dev/null
  cmake --build --preset release --target murmur_program murmur_faults
fi
chosen=()
for kind in "$@"; do chosen+=(--kind "$kind"); done
mkdir -p build/reliability
code=0
say "every call failed in turn"
MURMUR=$program /usr/bin/python3 tests/faults/fail_calls.py "${chosen[@]}" --every "${EVERY:-1}" \
  --seconds "${SECONDS_EACH:-inf}" --jobs "${JOBS:-$(nproc)}" \
  --json build/reliability/calls.json || code=1
say "power lost at any instant"
MURMUR=$program /usr/bin/python3 tests/faults/crash_states.py "${chosen[@]}" \
  --states "${STATES:-10000}" --seconds "${SECONDS_EACH:-inf}" --jobs "${JOBS:-$(nproc)}" \
  --json build/reliability/crashes.json --keep build/reliability/states || code=1
exit $code
