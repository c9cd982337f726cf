# Sourced by what runs in a Debian of its own (test --on, try-bare, try-package, try-flatpak, try-tarball).
# shellcheck shell=bash

# shellcheck source=meson-helpers/internal/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# What of this machine a Debian sees besides, as FROM:TO.
binds=()

# Ends the script where the machine is at fault, which .ci/run tells from a failure by this status.
cannot() {
  printf '%s: not run: %s\n' "$(basename "$0")" "$*" >&2
  exit 77
}

# own_mounts ARGUMENT...: starts the script again with these arguments, where all that it mounts ends with it.
own_mounts() {
  ((EUID == 0)) || cannot "this needs root, to mount and to change the root"
  [[ -n ${COPYPASTA_OWN_MOUNTS:-} ]] || COPYPASTA_OWN_MOUNTS=1 exec unshare --mount "$0" "$@"
}

# in_debian FOLDER COMMAND...: runs a command in $there that has FOLDER as its root, with a /tmp and a /run of its own. All
# that is mounted and started ends with it. With network=--net it has no network. Not by chroot: what runs in one may make no namespaces, and so no sandbox, which
# Flatpak and GTK's loaders of pictures (glycin) want.
in_debian() {
  # shellcheck disable=SC2016  # the shell inside fills in its own arguments
  unshare --mount --pid --fork --kill-child ${network:+"$network"} bash -ec '
    # The first process of a namespace gets only the signals that it asks for.
    trap "exit 1" INT TERM
    root=$1
    mount --rbind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount -t sysfs sysfs "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/dev/shm"
    mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
    mount -t tmpfs -o mode=755 tmpfs "$root/run"
    mkdir -m 1777 "$root/tmp/.X11-unix"
    while shift && [[ $1 != -- ]]; do
      mkdir -p "$root${1#*:}"
      mount --rbind "${1%%:*}" "$root${1#*:}"
    done
    shift
    cd "$root"
    pivot_root . .
    umount --lazy .
    "$@"
    exit' bash "$1" "${binds[@]}" -- env -i --chdir="${there:-/}" HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    PATH="${toolchain:+$toolchain/usr/bin:}/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "${@:2}" </dev/null
}

# as_user FOLDER COMMAND...: the same as the user "try", who has no rights.
as_user() {
  # shellcheck disable=SC2016
  in_debian "$1" sh -ec 'id try >/dev/null 2>&1 || useradd --create-home try
    install -d -m 700 -o try /run/try
    exec setpriv --reuid=try --regid=try --init-groups env --chdir=/home/try HOME=/home/try USER=try \
      XDG_RUNTIME_DIR=/run/try "$@"' sh "${@:2}"
}

# Where apt gets Debian's packages on this machine.
mirror() {
  local found
  found=$(sed -nE '/security/d; s/^(URIs: *|deb +(\[[^]]*\] +)?)(https?:\/\/[^ ]*debian[^ ]*).*/\3/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null) || true
  found=${found%%$'\n'*}
  echo "${found:-http://deb.debian.org/debian}"
}

# make_debian FOLDER RELEASE [PACKAGE...]: makes that Debian where it is missing, brings it up to date, and installs these
# packages. The release "arm64" is sid, which is emulated unless this machine is one.
make_debian() {
  local folder=$1 release=$2 options=() script
  ((EUID == 0)) || cannot "this needs root, to mount and to change the root"
  command -v debootstrap >/dev/null || cannot "please install debootstrap"
  unshare --mount --pid --fork true 2>/dev/null || cannot "this machine does not let root mount anything"
  [[ $release =~ ^(bookworm|trixie|sid|arm64)$ ]] || fail "no such release: $release (bookworm, trixie, sid, arm64)"
  [[ $release != arm64 ]] || { release=sid && options=(--arch arm64); }
  # A debootstrap that is older than the release does not know its name.
  script=/usr/share/debootstrap/scripts/$release
  [[ -e $script ]] || script=/usr/share/debootstrap/scripts/sid
  if [[ ! -e $folder/etc/debian_version ]]; then
    say "Making Debian $2 in $folder"
    mkdir -p "$(dirname "$folder")"
    rm -rf --one-file-system "$folder.new"
    debootstrap --variant=minbase "${options[@]}" "$release" "$folder.new" "$(mirror)" "$script" >"$folder.log" 2>&1 ||
      cannot "debootstrap failed: $(tail -n 1 "$folder.log") ($folder.log)"
    mv "$folder.new" "$folder"
  fi
  # How this machine reaches Debian's archive.
  cp /etc/resolv.conf /etc/hosts "$folder/etc/"
  apt-config dump 2>/dev/null | grep '^Acquire::' >"$folder/etc/apt/apt.conf.d/99here" || true
  # An earlier run may have been cut off while it installed.
  in_debian "$folder" sh -ec 'dpkg --configure -a && apt-get -qq update &&
    apt-get -qq dist-upgrade --yes --no-install-recommends' >"$folder.log" 2>&1 ||
    say "Debian $2 is used as it is, because it cannot be brought up to date: $(tail -n 1 "$folder.log")"
  (($# == 2)) || install_there "$folder" "${@:3}"
}

# install_there FOLDER PACKAGE...
install_there() {
  in_debian "$1" apt-get -qq install --yes --no-install-recommends "${@:2}" >"$1.log" 2>&1 ||
    fail "apt-get failed: $(grep -m 1 '^E: ' "$1.log") ($1.log)"
}

# swift_of FOLDER: which Swift that Debian has in its archive; nothing if none.
swift_of() { in_debian "$1" apt-cache show --no-all-versions swiftlang 2>/dev/null | sed -n 's/^Version: //p' | head -n 1; }

# own_toolchain: sets $toolchain to the folder of this machine's Swift, and has every Debian see that.
own_toolchain() {
  toolchain=$(readlink -f "$(command -v swift)") || fail "there is no Swift here"
  toolchain=${toolchain%/usr/bin/*}
  [[ -n $toolchain ]] || fail "Swift is in /usr here; this needs it in a folder of its own, such as swiftly makes"
  binds+=("$toolchain:$toolchain")
}
