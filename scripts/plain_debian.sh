#!/usr/bin/env bash
# plain_debian.sh [COMMAND]: makes a minimal Debian 12 below $TMPDIR, puts this commit into it, and runs
# ./demo and ./test there (or COMMAND) with nothing but what that has. What this machine needs to reach
# its package sources (apt, npm, certificates, proxies) is copied into that root at run time.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

leave_out() { printf 'plain Debian is left out: %s\n' "$1"; exit 0; }
[ "$(id -u)" = 0 ] || leave_out "it needs root"
command -v mmdebstrap >/dev/null || install_packages mmdebstrap ||
  leave_out "it needs mmdebstrap"
unshare --mount true 2>/dev/null || leave_out "this machine lends no mounts"

command=${1:-./demo && ./test}
root=$(mktemp -d "${TMPDIR:-/var/tmp}/plain-debian-XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT

say "a minimal Debian 12"
settings=()
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
bundle=/etc/ssl/certs/ca-certificates.crt
way+=("NODE_EXTRA_CA_CERTS=$bundle" "SSL_CERT_FILE=$bundle")

git clone --quiet --no-local --depth 1 "file://$PWD" "$root/root/murmuration"

say "$command, in it"
# Mounts of its own, which end with it.
unshare --mount --pid --fork bash -c '
  mount -t proc proc "$1/proc"
  mount -t sysfs sysfs "$1/sys"
  mount --rbind /dev "$1/dev"
  mount -t tmpfs -o size=2g tmpfs "$1/dev/shm" 2>/dev/null || true
  exec chroot "$1" env -i "${@:3}" bash -c "cd /root/murmuration && $2"
' plain "$root" "$command" "${way[@]}"
say "a plain Debian 12 runs: $command"
