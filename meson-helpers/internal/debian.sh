# Sourced by what tries packages in a Debian sid of its own (try-flatpak, try-tarball).
# shellcheck shell=bash

# shellcheck source=meson-helpers/internal/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# own_namespaces ARGUMENT...: starts the script again with these arguments, in namespaces with which all ends that it
# mounts and starts.
own_namespaces() {
  ((EUID == 0)) || fail "this needs root, to mount and to change the root"
  command -v debootstrap >/dev/null || fail "please install debootstrap"
  if [[ -z ${COPYPASTA_OWN_NAMESPACE:-} ]]; then
    COPYPASTA_OWN_NAMESPACE=1 exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$@"
  fi
  # The first process of a namespace hears only what it asks for.
  trap 'exit 1' INT TERM
}

# in_debian FOLDER COMMAND...: runs a command with that folder as its root.
in_debian() {
  with_root "$1" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    DEBIAN_FRONTEND=noninteractive "${@:2}"
}

# What a command of the user "try", who has no rights, begins with.
# shellcheck disable=SC2034  # used by who sources this
as_try=(
  setpriv --reuid=try --regid=try --init-groups env --chdir=/home/try HOME=/home/try USER=try XDG_RUNTIME_DIR=/run/try
)

# mount_system FOLDER: what every Debian that runs has.
mount_system() {
  mount -t proc proc "$1/proc"
  mount -t sysfs sysfs "$1/sys"
  mount --rbind /dev "$1/dev"
  mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"
  mount -t tmpfs tmpfs "$1/run"
  mkdir -m 1777 "$1/tmp/.X11-unix"
}

# make_debian FOLDER PACKAGE...: makes that Debian if it is not there, and installs these packages.
make_debian() {
  local folder=$1
  if [[ ! -e $folder/etc/debian_version ]]; then
    say "Making $folder"
    rm -rf --one-file-system "$folder.new"
    debootstrap --variant=minbase sid "$folder.new" >"$folder.log" 2>&1 || fail "debootstrap failed: $folder.log"
    mv "$folder.new" "$folder"
  fi
  # How this machine reaches Debian's archive.
  cp /etc/resolv.conf "$folder/etc/"
  apt-config dump 2>/dev/null | grep '^Acquire::' >"$folder/etc/apt/apt.conf.d/99here" || true
  mount_system "$folder"
  in_debian "$folder" apt-get -qq update
  in_debian "$folder" apt-get -qq install --yes --no-install-recommends "${@:2}" >"$folder.log" 2>&1 ||
    fail "apt-get failed: $folder.log"
  in_debian "$folder" apt-get clean
}

# make_user FOLDER: the user "try".
make_user() {
  in_debian "$1" id try >/dev/null 2>&1 || in_debian "$1" useradd --create-home try
  install -d -m 700 "$1/run/try"
  chown --reference="$1/home/try" "$1/run/try"
}
