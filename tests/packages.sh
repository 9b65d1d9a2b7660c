#!/usr/bin/env bash
# packages.sh deb|shells|needs|wheel|import PYTHON: what a new user tries, run by scripts/try_packages.sh on a
# plain Debian 12 in the folder above packages/ and tree/, which holds the tours and what runs them. `needs`
# prints the Debian packages that the wheel needs.
set -euo pipefail
ulimit -c 0

fail() { printf 'packages.sh: %s\n' "$*" >&2; exit 1; }
# wants TEXT COMMAND...: what the command prints must hold the text.
wants() {
  local text=$1 told
  shift
  told=$("$@" 2>&1) || fail "$* ended with $?: $told"
  [[ $told == *"$text"* ]] || fail "$* printed: $told"
  printf 'ok: %s\n' "$*"
}

# served: the page of `murmur studio`, over a socket of bash's own, as no curl is here.
served() {
  local folder port studio
  folder=$(mktemp -d)
  (cd "$folder" && exec murmur studio --port 8531 >told 2>&1) &
  studio=$!
  for _ in $(seq 50); do
    sleep 0.1
    if exec 3<>/dev/tcp/127.0.0.1/8531; then break; fi
  done 2>/dev/null
  printf 'GET / HTTP/1.1\r\nHost: 127.0.0.1:8531\r\nConnection: close\r\n\r\n' >&3
  cat <&3
  exec 3>&-
  kill -TERM "$studio"
  wait "$studio" || fail "murmur studio ended with $?: $(cat "$folder/told")"
}

closed_form='import murmur
run = murmur.simulate("orthonormal", T=3.0, save="final", progress=False)
print("%.9f" % run["mean_cos"][-1])'

try_deb() {
  wants "murmur 0." murmur --version
  cd "$(mktemp -d)"
  wants runs/orthonormal-0-1 murmur simulate -q orthonormal T=3 save=final
  wants 0.332986702 murmur measure runs/orthonormal-0-1 --json
  wants circle.png murmur render -q runs/orthonormal-0-1 -o circle.png
  wants "<title>" served
  wants '"bomFormat": "CycloneDX"' cat /usr/share/doc/murmuration/contents.cdx.json
  ! ldd /usr/bin/murmur | grep 'not found' || fail "libraries are missing"
  wants 0.332986702 python3 -c "$closed_form"
  try_tour /usr/bin/murmur python3 tour tour-python
}

# try_tour PROGRAM PYTHON PAGE...: every command of the tours prints what the page shows.
try_tour() {
  local program=$1 python=$2 page
  shift 2
  for page in "$@"; do
    wants "docs/$page.md" env MURMUR="$program" "$python" /root/tree/tests/docs_test.py \
      "/root/tree/docs/$page.md"
  done
}

# What a package gives to other programs, where these are: manual pages, completion, the desktop's menu.
try_shells() {
  local name command
  wants "murmur simulate" man murmur-simulate
  for command in $(murmur explain --commands); do
    name=$(man --warnings "murmur-$command" 2>&1 >/dev/null) || fail "man murmur-$command failed"
    [ -z "$name" ] || fail "man murmur-$command: $name"
  done
  wants "-- simulate" bash -c 'source /usr/share/bash-completion/bash_completion
    _completion_loader murmur || true
    COMP_WORDS=(murmur simu) COMP_CWORD=1; _murmur; echo "-- ${COMPREPLY[*]}"'
  wants _murmur zsh -fc 'autoload -U compinit; compinit -u -D; print $_comps[murmur]'
  wants simulate fish -c 'complete -C "murmur simu"'
  wants "dynamics=sinkhorn" fish -c 'complete -C "murmur simulate dynamics=si"'
  desktop-file-validate /usr/share/applications/murmur-studio.desktop || fail "the desktop entry is unsound"
  [ -s /usr/share/icons/hicolor/scalable/apps/murmur-studio.svg ] || fail "there is no icon"
}

# What pip must find here: the wheel needs its libraries.
needs() {
  echo python3-venv python3-numpy
  dpkg-deb -f packages/murmuration_*.deb Depends | tr ',' '\n' | sed 's/(.*//; s/|.*//' |
    grep -v '^ *python3'
}

try_wheel() {
  cd "$(mktemp -d)"
  python3 -m venv --system-site-packages place
  place/bin/pip install --quiet --no-index --no-deps --no-build-isolation /root/packages/*.whl
  wants 0.332986702 place/bin/python -c "$closed_form"
  try_tour /bin/true "$PWD/place/bin/python" tour-python  # there is no program beside it
}

case ${1:-} in
  deb) try_deb ;;
  shells) try_shells ;;
  needs) needs ;;
  wheel) try_wheel ;;
  import) wants 0.332986702 "$2" -c "$closed_form" ;;
  *) fail "say deb, shells, needs, wheel or import" ;;
esac
