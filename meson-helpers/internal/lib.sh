# Sourced by every script of meson-helpers: the few things that all of them need.
# shellcheck shell=bash

# shellcheck disable=SC2034  # used by who sources this
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# What a script has to say is set apart from what the tools that it calls say.
say() {
  if [[ -t 1 ]]; then printf '\e[1m▸ %s\e[0m\n' "$*"; else printf '▸ %s\n' "$*"; fi
}

# Ends the script with a line that says what failed.
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# prepare GROUP...: what a script that builds begins with: a checkout that can be written, Swift, and these packages.
prepare() {
  local folder=$project
  if [[ -e $project/.build ]]; then folder=$project/.build; fi
  [[ -w $folder ]] || fail "$folder cannot be written, and the build goes there; please work in a clone of your own"
  "$project/meson-helpers/packages" "$@"
}

# until_true SECONDS COMMAND...: polls until the command succeeds, and says whether it did.
until_true() {
  local deadline=$((SECONDS + $1))
  until "${@:2}" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || return 1
    sleep 0.05
  done
}

# is_new_enough VERSION: whether that Swift compiles CopyPasta.
is_new_enough() { [[ $(printf '%s\n' 6.2 "$1" | sort -V | head -n 1) == 6.2 ]]; }

# packaged_swift COMMAND...: which Swift is in the archive of the Debian that COMMAND runs commands in; nothing if none is.
packaged_swift() { "$@" apt-cache show --no-all-versions swiftlang 2>/dev/null | sed -n 's/^Version: //p' | head -n 1; }

# with_root FOLDER COMMAND...: runs a command that has this folder as its root. Not by chroot: whoever is in one is let
# make no namespaces, and so no sandbox, which Flatpak and GTK's loaders of pictures (glycin) want.
with_root() {
  # shellcheck disable=SC2016  # the shell inside fills in its own arguments
  unshare --mount bash -c \
    'mount --rbind "$1" "$1" && cd "$1" && pivot_root . . && umount --lazy . && shift && exec "$@"' bash "$@"
}

# The languages of the program besides English, one a line.
languages() { sed '/^#/d' "$project/po/LINGUAS"; }
