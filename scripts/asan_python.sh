#!/usr/bin/env bash
# asan_python.sh [FOLDER]: the Python module under AddressSanitizer and UndefinedBehaviorSanitizer: ten thousand
# flights that leak nothing, and the package's tests. FOLDER is a build directory of the preset asan (build/asan).
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

folder=$(realpath -m "${1:-build/asan}")
flights=${FLIGHTS:-10000}
install_packages "${build_packages[@]}" "${python_packages[@]}" "${test_packages[@]}"
say "building the module (asan)"
cmake --preset asan -B "$folder" -DMURMUR_PYTHON=ON >/dev/null
cmake --build "$folder" -j "$(nproc)" --target murmur_python murmur_program

# The sanitizer has to be there before the interpreter, and libstdc++ for it to see exceptions. Python's own
# allocator would hide what lies beside what.
preload="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so) $(gcc -print-file-name=libstdc++.so)"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export PYTHONMALLOC=malloc OPENBLAS_NUM_THREADS=1 MURMUR=$folder/murmur
export MURMUR_DATA=${MURMUR_DATA:-$PWD/data/mnist}
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
common=halt_on_error=1:abort_on_error=1:allocator_may_return_null=1

say "$flights flights"
ASAN_OPTIONS=$common:detect_leaks=1:log_path=$place/leaks LSAN_OPTIONS=exitcode=0 LD_PRELOAD=$preload \
  /usr/bin/python3 tests/python/flights.py "$flights"
/usr/bin/python3 tests/python/leaks.py "$flights" "$place"

for test in tests/python/test_*.py; do
  say "$test"
  ASAN_OPTIONS=$common:detect_leaks=0 LD_PRELOAD=$preload /usr/bin/python3 "$test"
done
say "no report"
