#!/usr/bin/env bash
# try_source.sh: makes the Python source distribution, lets pip build and install that file alone, without
# a network, in a virtual environment, and imports what came of it. It compiles the library once; with
# CMAKE_CXX_COMPILER_LAUNCHER=ccache a second time is short.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_packages "${build_packages[@]}" "${python_packages[@]}" python3-pip python3-venv
box=$(mktemp -d "${TMPDIR:-/var/tmp}/murmur-source-XXXXXX")
trap 'rm -rf "$box"' EXIT
name=$(/usr/bin/python3 bindings/python/build_backend.py --sdist "$box")
/usr/bin/python3 -m venv --system-site-packages "$box/place"

# Out of this tree, so that what the file lacks is missed; out of the network where that may be done.
say "pip install $name"
apart=()
if unshare --net true 2>/dev/null; then apart=(unshare --net); fi
(cd "$box" && TMPDIR=$box PIP_DISABLE_PIP_VERSION_CHECK=1 "${apart[@]}" place/bin/pip install \
  --no-index --no-deps --no-build-isolation "$name")
cp tests/packages.sh "$box/"
(cd "$box" && bash packages.sh import place/bin/python)
say "the source distribution builds, installs and is imported"
