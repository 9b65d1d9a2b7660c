#!/usr/bin/env bash
# plain_debian.sh [COMMAND]: makes a minimal Debian 12 below $TMPDIR, puts this commit into it, and runs
# ./demo and ./test there (or COMMAND) with nothing but what that has.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source scripts/debian_root.sh

command=${1:-./demo && ./test}
make_root
git clone --quiet --no-local --depth 1 "file://$PWD" "$root/root/murmuration"
say "$command, in it"
in_root /root/murmuration "$command"
say "a plain Debian 12 runs: $command"
