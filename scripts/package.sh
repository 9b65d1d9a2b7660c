#!/usr/bin/env bash
# package.sh [--no-try]: makes the packages into build/release/packages (.deb by CPack, the Python source
# distribution and wheel), with the page in them, and tries them on a Debian 12 that has nothing else.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_packages "${build_packages[@]}" "${python_packages[@]}" "${package_packages[@]}"
if [ ! -f studio/dist/index.html ]; then scripts/page.sh; fi
build release -DMURMUR_PYTHON=ON -DMURMUR_TESTS=OFF
packages=build/release/packages
rm -rf "$packages"
say "packages"
(cd build/release && cpack -G DEB) | sed -n 's/^CPack: - package: //p'
say "wheel and source distribution"
MURMUR_BUILD=build/release PIP_DISABLE_PIP_VERSION_CHECK=1 /usr/bin/python3 -m pip wheel --quiet \
  --no-deps --no-index --no-build-isolation --wheel-dir "$packages" .
/usr/bin/python3 bindings/python/build_backend.py --sdist "$packages"
rm -rf "$packages/_CPack_Packages"
ls -l "$packages"
[ "${1:-}" = --no-try ] || scripts/try_packages.sh
