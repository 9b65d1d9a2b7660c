#!/usr/bin/env bash
# page_words.sh: the traces of the view Words, bank.json and nail.json in studio/public/words.
# scripts/page_words.sh [MODEL]; without one, `murmur model fetch minilm` must have been there.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

murmur=${MURMUR:-build/release/murmur}
model=${1:-minilm}
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT

# trace NAME TEXT TEXT: by the reference pass, so that every machine makes the same file
trace() {
  local name=$1
  shift
  "$murmur" trace "$model" "$@" --engine reference -q -o "$runs/$name"
  "$murmur" export "$runs/$name" -q --force -o "studio/public/words/$name.json"
}
trace bank "She sat on the bank of the river." "He put money in the bank."
trace nail "A rusty nail held the planks of the ship." "The carpenter drove a nail into the wall."
