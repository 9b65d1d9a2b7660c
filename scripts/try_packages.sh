#!/usr/bin/env bash
# try_packages.sh: on a minimal Debian 12 with no network, as a new user: what scripts/package.sh made is
# installed, and simulates, serves the page, is imported, gives every figure of the tours, and is removed again.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source scripts/debian_root.sh
packages=build/release/packages
compgen -G "$packages/murmuration_*.deb" >/dev/null ||
  { printf 'murmur: there are no packages\n  where: %s\n  do:    scripts/package.sh makes them\n' "$packages" >&2; exit 1; }
make_root
mkdir "$root/root/packages"
cp "$packages"/* "$root/root/packages/"
cp tests/packages.sh "$root/root/"
mkdir -p "$root/root/tree/tests" "$root/root/tree/docs"
cp tests/docs_test.py "$root/root/tree/tests/"
cp docs/*.md "$root/root/tree/docs/"

# What apt fetches are the dependencies that the package names, and with them nothing is recommended.
say "the .deb"
in_root /root 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
  --no-install-recommends ./packages/murmuration_*.deb >/dev/null'
in_root --no-network /root 'bash packages.sh deb'
say "manual pages, completion in three shells, the desktop's entry"
in_root /root 'DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
  --no-install-recommends man-db bash-completion zsh fish desktop-file-utils >/dev/null'
in_root --no-network /root 'bash packages.sh shells'
if compgen -G "$packages/*.whl" >/dev/null; then
  say "the wheel, in a virtual environment"
  in_root /root 'set -e; DEBIAN_FRONTEND=noninteractive apt-get remove -y -qq murmuration >/dev/null
    ! command -v murmur || exit 1
    bash packages.sh needs | DEBIAN_FRONTEND=noninteractive xargs apt-get install -y -qq \
      --no-install-recommends >/dev/null'
  in_root --no-network /root 'bash packages.sh wheel'
fi
say "the packages work on a plain Debian 12"
