# Functions to create a Debian system in a folder and to run commands in it. Sourced by test and try-flatpak.
# shellcheck shell=bash

# shellcheck source=meson-helpers/internal/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The folders on this machine to mount at the same place in a Debian system.
binds=()
# This machine's settings for downloads. A proxy can contain a password, so the Debian system has them only in memory.
apt_settings=$(apt-config dump 2>/dev/null | grep '^Acquire::') || true

require_mounts() {
  ((EUID == 0)) || fail "this needs root, to mount and to change the root"
  unshare --mount --pid --fork true 2>/dev/null || fail "this machine does not let root mount anything"
}

# own_mounts ARGUMENT...: restarts the script with these arguments in a mount namespace of its own, so that its mounts
# disappear when it exits.
own_mounts() {
  require_mounts
  [[ -n ${COPYPASTA_OWN_MOUNTS:-} ]] || COPYPASTA_OWN_MOUNTS=1 exec unshare --mount "$0" "$@"
}

# in_debian FOLDER COMMAND...: runs a command in the working folder $there, with FOLDER as its root and with its own /tmp
# and /run. The mounts and processes end with the command. Does not use chroot, because processes in a chroot cannot
# create the namespaces that the sandboxes of Flatpak and of GTK's image loaders (glycin) need.
in_debian() {
  # shellcheck disable=SC2016  # the shell inside fills in its own arguments
  apt_settings=$apt_settings unshare --mount --pid --fork --kill-child bash -ec '
    # The first process of a PID namespace receives only signals that it handles, so handle these.
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
    (umask 077 && echo "$apt_settings" >"$root/run/apt.conf")
    while shift && [[ $1 != -- ]]; do
      mkdir -p "$root$1"
      mount --rbind "$1" "$root$1"
    done
    shift
    cd "$root"
    pivot_root . .
    umount --lazy .
    "$@"
    exit' bash "$1" "${binds[@]}" -- env -i --chdir="${there:-/}" HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    APT_CONFIG=/run/apt.conf PATH="${toolchain:+$toolchain/usr/bin:}/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
    "${@:2}" </dev/null
}

# as_user FOLDER COMMAND...: like in_debian, but runs the command as the unprivileged user "try".
as_user() {
  # shellcheck disable=SC2016
  in_debian "$1" sh -ec 'id try >/dev/null 2>&1 || useradd --create-home try
    install -d -m 700 -o try /run/try
    exec setpriv --reuid=try --regid=try --init-groups env --chdir=/home/try HOME=/home/try USER=try \
      XDG_RUNTIME_DIR=/run/try "$@"' sh "${@:2}"
}

# mirror: prints the Debian mirror that this machine's apt uses.
mirror() {
  # shellcheck disable=SC2016  # apt's variable
  apt-get indextargets --format '$(REPO_URI)' |
    awk '/\/debian\/?$/ { found = $0 } END { print found ? found : "http://deb.debian.org/debian" }'
}

# make_debian FOLDER RELEASE [PACKAGE...]: creates a Debian system in FOLDER if there is none, updates the system, and
# installs the packages.
make_debian() {
  local folder=$1 release=$2
  require_mounts
  [[ $release =~ ^(bookworm|trixie|sid)$ ]] || fail "no such release: $release (bookworm, trixie, sid)"
  "$project/meson-helpers/packages" debian
  if [[ ! -e $folder/etc/debian_version ]]; then
    say "Making Debian $release in $folder"
    mkdir -p "$(dirname "$folder")"
    rm -rf --one-file-system "$folder.new"
    # Use sid's script, as all releases do, because a debootstrap that is older than the release has none for it.
    debootstrap --variant=minbase "$release" "$folder.new" "$(mirror)" /usr/share/debootstrap/scripts/sid \
      >"$folder.log" 2>&1 || fail "debootstrap failed: $(tail -n 1 "$folder.log") ($folder.log)"
    mv "$folder.new" "$folder"
  fi
  # Copy this machine's network configuration.
  cp /etc/resolv.conf /etc/hosts "$folder/etc/"
  # Run "dpkg --configure" first, because an earlier run may have been interrupted while it installed packages.
  in_debian "$folder" sh -ec 'dpkg --configure -a && apt-get -qq update &&
    apt-get -qq dist-upgrade --yes --no-install-recommends' >"$folder.log" 2>&1 ||
    fail "Debian $release cannot be updated: $(tail -n 1 "$folder.log") ($folder.log)"
  (($# == 2)) || install_there "$folder" "${@:3}"
}

# install_there FOLDER PACKAGE...: installs packages in the Debian system in FOLDER.
install_there() {
  in_debian "$1" apt-get -qq install --yes --no-install-recommends "${@:2}" >"$1.log" 2>&1 ||
    fail "apt-get failed: $(grep -m 1 '^E: ' "$1.log") ($1.log)"
}

# swift_of FOLDER: prints the version of Swift in the archive of the Debian system in FOLDER, if it has Swift.
swift_of() { in_debian "$1" apt-cache show --no-all-versions swiftlang 2>/dev/null | sed -n 's/^Version: //p' | head -n 1; }

# own_toolchain: sets $toolchain to the folder of this machine's Swift, and mounts it in every Debian system.
own_toolchain() {
  toolchain=$(readlink -f "$(command -v swift)") || fail "there is no Swift here"
  toolchain=${toolchain%/usr/bin/*}
  [[ -n $toolchain ]] || fail "Swift is in /usr here; please install it in its own folder, for example with swiftly"
  binds+=("$toolchain")
}
