#!/usr/bin/env bash
# try_container.sh: does what packaging/Containerfile says, step by step, each stage in a minimal Debian 12 of
# its own, and then what the file's head tells a reader to run. It needs no container engine. With
# CMAKE_CXX_COMPILER_LAUNCHER=ccache and CCACHE_DIR the first stage compiles with that cache.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source scripts/debian_root.sh
recipe=packaging/Containerfile

make_root
plain=$root
box=$(mktemp -d "${TMPDIR:-/var/tmp}/container-XXXXXX")
trap 'rm -rf --one-file-system "$plain" "$box"' EXIT
git clone --quiet --no-local --depth 1 "file://$PWD" "$box/tree"
while read -r name; do rm -rf "${box:?}/tree/$name"; done <.dockerignore
clean_way=("${way[@]}")
declare -A image_of

# The steps of recipe.py. $here is the folder of the next one; environment and folder end with a stage.
step_stage() {
  [ "$2" = docker.io/library/debian:12 ] || { echo "try_container.sh: no image $2 here" >&2; return 1; }
  root=$box/$1 here=/ shared="" way=("${clean_way[@]}")
  image_of[$1]=$root
  say "stage $1"
  cp -a "$plain" "$root"
  if [ "$1" = build ] && [ "${CMAKE_CXX_COMPILER_LAUNCHER:-}" = ccache ]; then
    in_root / 'apt-get update -qq && apt-get install -y -qq --no-install-recommends ccache >/dev/null'
    shared=$CCACHE_DIR
    way+=(CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_DIR=/shared CCACHE_BASEDIR=/source CCACHE_NOHASHDIR=1
      CCACHE_COMPILERCHECK=content
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime)
  fi
}
step_copy() {
  local from=$1 place=$root$2 what
  shift 2
  mkdir -p "$place"
  for what in "$@"; do
    if [ "$from" = - ]; then cp -a "$box/tree/$what/." "$place"; else cp -a "${image_of[$from]}"$what "$place"; fi
  done
}
step_in() { here=$1 && mkdir -p "$root$here"; }
step_do() { say "$1" && in_root "$here" "$1"; }
step_set() { way+=("$1"); }
step_entry() { entry=("$@"); }
step_preset() { wants "${entry[*]} $*" "Usage" in_root "$here" "$(printf '%q ' "${entry[@]}" "$@")"; }
wants() {
  local told
  say "$1"
  told=$("${@:3}" 2>&1) || { printf '%s\n' "$told"; return 1; }
  [[ $told == *"$2"* ]] || { printf 'try_container.sh: no %s in:\n%s\n' "$2" "$told"; return 1; }
}
step_use() {
  local words
  words=$(printf '%q ' "${entry[@]}" "$@")
  case $1 in
    simulate) wants "$words" "runs/" in_root --no-network "$here" "$words && test -s runs/*/trajectory.npy" ;;
    studio) wants "$words" "<title>" in_root --no-network "$here" "$words --port 8531 & studio=\$!
      for _ in \$(seq 100); do sleep 0.1; (exec 3<>/dev/tcp/127.0.0.1/8531) 2>/dev/null && break; done
      exec 3<>/dev/tcp/127.0.0.1/8531
      printf 'GET / HTTP/1.1\r\nHost: 127.0.0.1:8531\r\nConnection: close\r\n\r\n' >&3
      cat <&3
      kill \$studio" ;;
    *) printf 'try_container.sh: nobody said what %s must show\n' "$1" >&2; return 1 ;;
  esac
}

steps=$(scripts/recipe.py "$recipe")
while read -r -u 4 step; do
  eval "step_$step"
done 4<<<"$steps"
say "what $recipe says can be done"
