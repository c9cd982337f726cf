# Functions that all scripts of meson-helpers source.
# shellcheck shell=bash

# shellcheck disable=SC2034  # used by the scripts that source this
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Let git read a checkout that belongs to another user, as in many containers.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$project

# help: prints the comment at the top of the script.
help() { sed -n '2,${/^#/!q; /shellcheck/!s/^# \{0,1\}//p}' "$0"; }
# "run" passes this option to the program.
if [[ ${1:-} == @(-h|--help) && $(basename "$0") != run ]]; then help && exit; fi

# say MESSAGE: prints a message, set apart from the output of the tools that a script calls.
say() { printf '▸ %s\n' "$*"; }

# fail MESSAGE: prints an error and exits with 1.
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# prepare GROUP...: checks that the checkout is writable and Swift is installed, and installs these groups of packages.
prepare() {
  [[ -w $project/.build || (-w $project && ! -e $project/.build) ]] ||
    fail "$project/.build cannot be written, and the build goes there; please work in a clone of your own"
  "$project/meson-helpers/packages" "$@"
}

# built PRODUCT: builds PRODUCT for release, and prints its path.
built() {
  local build=(swift build --package-path "$project" --configuration release --product "$1")
  "${build[@]}" >&2 || return
  echo "$("${build[@]}" --show-bin-path)/$1"
}

# until_true SECONDS COMMAND...: runs the command until it succeeds; fails if it has not succeeded after SECONDS.
until_true() {
  local deadline=$((SECONDS + $1))
  until "${@:2}" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || return 1
    sleep 0.05
  done
}

# The time limit of each step on a desktop, in seconds.
# shellcheck disable=SC2034
patience=${COPYPASTA_PATIENCE:-20}

# query DATABASE SQL: queries a history that CopyPasta may be using.
query() { sqlite3 -readonly -cmd '.timeout 5000' "$@"; }

# copy_checkout FOLDER: copies the files of the checkout that git knows or would add.
copy_checkout() {
  git -C "$project" ls-files -z --cached --others --exclude-standard |
    tar -C "$project" --null --files-from=- --ignore-failed-read -c 2>/dev/null | tar -C "$1" -x
}

# in_front TITLE: succeeds if the window with this title has the focus on X11, and sets $window to its id.
in_front() {
  window=$(xdotool search --onlyvisible --name "^$1\$" | head -n 1)
  [[ -n $window && $(xdotool getactivewindow) == "$window" ]]
}

# is_unchanged WINDOW PICTURE: on a private desktop, takes a picture, and succeeds if it equals the previous one, so that nothing is being drawn.
is_unchanged() {
  cp "$2" "$HOME/before" 2>/dev/null || true
  sleep 0.4
  import -silent -window "$1" "$2"
  cmp -s "$2" "$HOME/before"
}

# is_new_enough VERSION: succeeds if this version of Swift compiles CopyPasta.
is_new_enough() { [[ $(printf '%s\n' 6.2 "$1" | sort -V | head -n 1) == 6.2 ]]; }

# languages: prints the languages of the program other than English, one per line.
languages() { sed '/^#/d' "$project/po/LINGUAS"; }
