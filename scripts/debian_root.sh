# debian_root.sh: a minimal Debian 12 in a folder, for scripts that try something with nothing but what
# that has; to be sourced after common.sh. What this machine needs to reach its package sources (apt, npm,
# certificates, proxies) is copied into that root at run time.

leave_out() { printf '%s is left out: %s\n' "$0" "$1"; exit 0; }

# make_root: $root, a minimal Debian 12 that is removed at the end, and $way, the environment in it.
make_root() {
  [ "$(id -u)" = 0 ] || leave_out "it needs root"
  command -v mmdebstrap >/dev/null && command -v ip >/dev/null ||
    install_packages mmdebstrap iproute2 || leave_out "it needs mmdebstrap"
  unshare --mount true 2>/dev/null || leave_out "this machine lends no mounts"
  root=$(mktemp -d "${TMPDIR:-/var/tmp}/plain-debian-XXXXXX")
  trap 'rm -rf --one-file-system "$root"' EXIT

  say "a minimal Debian 12"
  local settings=() line file name bundle=/etc/ssl/certs/ca-certificates.crt
  while read -r line; do settings+=("--aptopt=$line"); done \
    < <(apt-config dump | grep -E '^Acquire::(http|https|Retries|ForceIPv4|AllowInsecure|Check)' | grep -v '""')
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources 2>/dev/null || true; } |
    mmdebstrap --quiet --variant=minbase --mode=root --include=ca-certificates "${settings[@]}" \
      bookworm "$root" -

  # The way out of this machine, not its programs: resolver, certificates, settings of npm, proxies.
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/" 2>/dev/null || true
  chroot "$root" update-ca-certificates >/dev/null 2>&1
  for file in /etc/npmrc /usr/etc/npmrc /root/.npmrc; do
    [ -f "$file" ] && mkdir -p "$root$(dirname "$file")" &&
      sed '/^nodedir/d' "$file" >"$root$file"
  done
  for line in "${settings[@]}"; do printf '%s\n' "${line#--aptopt=}"; done \
    >"$root/etc/apt/apt.conf.d/99way-out"
  way=(HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8)
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    [ -n "${!name:-}" ] && way+=("$name=${!name}")
  done
  way+=("NODE_EXTRA_CA_CERTS=$bundle" "SSL_CERT_FILE=$bundle")
}

# in_root [--no-network] FOLDER COMMAND: COMMAND by bash in FOLDER of $root, with mounts and processes of
# its own, which end with it. The folder $shared, where one is named, is /shared there.
in_root() {
  local apart=()
  [ "$1" = --no-network ] && { apart=(--net); shift; }
  unshare --mount --pid --fork "${apart[@]}" bash -c '
    mount -t proc proc "$1/proc"
    mount -t sysfs sysfs "$1/sys" 2>/dev/null || true
    mount --rbind /dev "$1/dev"
    mount -t tmpfs -o size=2g tmpfs "$1/dev/shm" 2>/dev/null || true
    [ -z "$4" ] || ip link set lo up 2>/dev/null || true
    [ -z "$5" ] || { mkdir -p "$1/shared" && mount --bind "$5" "$1/shared"; }
    exec chroot "$1" env -i "${@:6}" bash -c "cd $2 && $3"
  ' plain "$root" "$1" "$2" "${apart[*]}" "${shared:-}" "${way[@]}"
}
