#!/usr/bin/env bash
# tsan.sh: engines, sweeps and the studio's server under ThreadSanitizer; any report is a failure.
#
# All threads of the library come from one function, core/parallel.cpp, on oneTBB, into which the
# sanitizer does not see: the preset tsan puts tests/tsan/plain_threads.cpp in its place.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_packages "${build_packages[@]}" "${test_packages[@]}"
say "building (tsan)"
# One vector target is enough: threads share the same places in each.
cmake --preset tsan -DCMAKE_CXX_FLAGS=-DHWY_COMPILE_ONLY_STATIC >/dev/null
cmake --build --preset tsan -j "$(nproc)" --target murmur_program tests_unit tests_conformance \
  tests_golden

export OPENBLAS_NUM_THREADS=1
export TSAN_OPTIONS="halt_on_error=1 exitcode=66 suppressions=$PWD/tests/tsan/tsan.supp"
program=$PWD/build/tsan/murmur
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

say "engines and hashes for 1 to n threads"
build/tsan/tests/tests_golden --gtest_brief=1
# Two tests ask for rounding bounds that only a target with fused multiply-adds keeps.
build/tsan/tests/tests_conformance --gtest_brief=1 \
  --gtest_filter='-Moments.HoldEveryParticleToAGivenBound:Moments.AreChosenForPlainHeadsThatTheyCertify:*Cuda*'
say "units of runs, sweeps, training and the server"
build/tsan/tests/tests_unit --gtest_brief=1 \
  --gtest_filter='*Serve*:*Server*:*Request*:*Sweep*:*Run*:*Process*:*Learn*:*Train*:*Ensemble*:*Flow*:*Meanfield*:*MeanField*'
say "a simulation, a mean field and a sweep with four threads"
"$program" simulate n=2000 d=3 T=0.2 engine=simd threads=4 -q -o "$place/swarm" >/dev/null
"$program" sweep 'beta=1:4:4' n=16 d=3 T=2 replicas=16 times=10 threads=4 -q -o "$place/sweep" >/dev/null
"$program" meanfield T=1 threads=4 -q -o "$place/field" >/dev/null
say "the studio's server under load"
MURMUR=$program scripts/soak.py --requests "${1:-20000}" --minutes 5 --any-memory
say "no report"
