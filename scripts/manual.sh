#!/usr/bin/env bash
# manual.sh: builds the manual, the pages of docs/, as a site into build/manual that needs no network;
# a warning is an error.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_packages "${manual_packages[@]}"
say "the manual"
/usr/bin/python3 -m sphinx -q -W -E --keep-going -j auto -b html -d build/manual-pages docs build/manual
printf '\nThe manual is in build/manual. Open it with\n  xdg-open build/manual/index.html\n'
