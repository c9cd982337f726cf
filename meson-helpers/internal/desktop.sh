# Sourced by what shows or measures CopyPasta: a private X server with a window manager, or a headless sway, GNOME Shell
# or KWin; a session bus without services, and a scratch home, so that nothing of the user's is seen or touched. The
# tests have the same in Tests/TestSupport.
# shellcheck shell=bash

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

desktop_pids=()

# desktop_begin: starts everything, on desktop_kind (x11; wayland, which is sway; gnome; kde), and sees to it that it
# ends with the script, however that ends. The home folder is a scratch one, unless desktop_home names one that is to
# outlive the desktop.
desktop_begin() {
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/copypasta.XXXXXX")
  trap desktop_end EXIT
  # bash leaves its EXIT trap out where a signal ends it while it waits for a program.
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  make_home
  case ${desktop_kind:-x11} in
    x11) start_x_server && start_bus && start_window_manager ;;
    wayland) start_sway && start_bus ;;
    gnome) start_bus && start_gnome ;;
    kde) start_bus && start_kwin ;;
  esac
}

desktop_end() {
  local index
  for ((index = ${#desktop_pids[@]} - 1; index >= 0; index--)); do
    kill "${desktop_pids[index]}" 2>/dev/null || true
  done
  wait
  rm -rf "$scratch"
}

# start_here LOG COMMAND...: starts a program that ends with the desktop, even where the script is killed.
start_here() {
  setpriv --pdeathsig TERM -- "${@:2}" >"$scratch/$1.out" 2>"$scratch/$1.err" </dev/null &
  started_pid=$!
  desktop_pids+=("$started_pid")
}

make_home() {
  unset DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS DESKTOP_STARTUP_ID XDG_ACTIVATION_TOKEN
  unset XDG_CURRENT_DESKTOP XDG_SESSION_TYPE
  export HOME=${desktop_home:-$scratch/home} XDG_RUNTIME_DIR=$scratch/run
  export XDG_CONFIG_HOME=$HOME/.config XDG_DATA_HOME=$HOME/.local/share
  export XDG_CACHE_HOME=$HOME/.cache XDG_STATE_HOME=$HOME/.local/state
  export GDK_BACKEND=x11 GTK_A11Y=none GSETTINGS_BACKEND=keyfile LC_ALL=C.UTF-8
  mkdir -p "$XDG_CONFIG_HOME" "$XDG_DATA_HOME" "$XDG_CACHE_HOME" "$XDG_STATE_HOME" "$scratch/services"
  mkdir -m 700 "$XDG_RUNTIME_DIR"
}

# first_line LOG: waits until a server has said where it listens.
first_line() {
  until_true 20 grep -q . "$scratch/$1.out" || fail "$1 did not start: $(cat "$scratch/$1.err")"
  head -n 1 "$scratch/$1.out"
}

start_x_server() {
  start_here Xvfb Xvfb -displayfd 1 -screen 0 "${desktop_screen:-1280x900x24}" -nolisten tcp -noreset
  DISPLAY=:$(first_line Xvfb)
  export DISPLAY
}

start_bus() {
  cp "$project/Tests/TestSupport/Fixtures/bus.conf" "$scratch"
  start_here dbus-daemon dbus-daemon --config-file="$scratch/bus.conf" --nofork --nosyslog --print-address=1
  DBUS_SESSION_BUS_ADDRESS=$(first_line dbus-daemon)
  export DBUS_SESSION_BUS_ADDRESS
}

# openbox announces itself before it manages windows; its startup command runs once it does.
start_window_manager() {
  start_here openbox openbox --sm-disable --startup "echo ready"
  first_line openbox >/dev/null
}

# sway refuses root, and goes on as nobody then: root's programs may connect to it all the same. No window is ever active
# there until something has plugged in a keyboard.
start_sway() {
  local folder=$scratch/sway user=()
  mkdir -m 700 "$folder"
  cp "$project/Tests/TestSupport/Fixtures/sway.conf" "$folder"
  if ((EUID == 0)); then
    chown nobody "$folder"
    chmod 711 "$scratch"
    user=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups --pdeathsig TERM --)
  fi
  export SWAYSOCK=$folder/ipc
  start_here sway "${user[@]}" env XDG_RUNTIME_DIR="$folder" WLR_BACKENDS=headless WLR_RENDERER=pixman \
    WLR_LIBINPUT_NO_DEVICES=1 sway --config "$folder/sway.conf"
  on_wayland "$(first_line sway)" sway
}

# on_wayland SOCKET DESKTOP: what tells programs of the compositor.
on_wayland() {
  export WAYLAND_DISPLAY=$1 GDK_BACKEND=wayland XDG_SESSION_TYPE=wayland XDG_CURRENT_DESKTOP=$2
}

# GNOME Shell asks the system's services for much; the session bus answers that there are none. Unsafe: it runs what it
# is told.
start_gnome() {
  on_wayland gnome GNOME
  start_here gnome-shell env DBUS_SYSTEM_BUS_ADDRESS="$DBUS_SESSION_BUS_ADDRESS" gnome-shell --wayland --headless --no-x11 \
    --unsafe-mode --wayland-display gnome --virtual-monitor 1280x900
  until_true 60 in_shell false Main.layoutManager._startingUp || fail "GNOME Shell did not start: $(cat "$scratch/gnome-shell.err")"
  in_shell '"ready"' "$(cat "$project/Tests/TestSupport/Fixtures/gnome_shell.js")"
  until_true 20 in_shell false Main.overview.visible
}

# in_shell ANSWER CODE: whether JavaScript comes to this in GNOME Shell.
in_shell() { [[ $(/usr/bin/python3 "$project/Tests/TestSupport/Fixtures/gnome_shell.py" "$2" 2>/dev/null) == "$1" ]]; }

# A copy of KWin's file: it may hold a capability that a container does not grant, and is not run then.
start_kwin() {
  start_x_server
  # KWin reads its shortcuts as it starts. This one runs what the bench puts there.
  mkdir -p "$XDG_DATA_HOME/kglobalaccel"
  printf '%s\n' '[Desktop Entry]' Type=Application Name=Shortcut "Exec=$XDG_RUNTIME_DIR/shortcut --toggle" \
    X-KDE-Shortcuts=Meta+Ctrl+V >"$XDG_DATA_HOME/kglobalaccel/shortcut.desktop"
  cp /usr/bin/kwin_wayland "$scratch"
  start_here kwin env XDG_CURRENT_DESKTOP=KDE KWIN_COMPOSE=Q KWIN_WAYLAND_NO_PERMISSION_CHECKS=1 "$scratch/kwin_wayland" \
    --x11-display "$DISPLAY" --width 1280 --height 900 --socket kwin --no-lockscreen
  until_true 20 test -S "$XDG_RUNTIME_DIR/kwin" || fail "KWin did not start: $(cat "$scratch/kwin.err")"
  unset DISPLAY
  on_wayland kwin KDE
}

# in_front TITLE: whether the window of this title has the focus; its number is $window then.
in_front() {
  window=$(xdotool search --onlyvisible --name "^$1\$" | head -n 1)
  [[ -n $window && $(xdotool getactivewindow) == "$window" ]]
}

# CopyPasta on it, as $program: the tour, and the walk through its windows. How many seconds each step may take; under
# Valgrind (meson-helpers/fuzz leaks) it takes long.
patience=${COPYPASTA_PATIENCE:-20}

query() { sqlite3 -readonly -cmd '.timeout 5000' "$database" "$1"; }
rows() { query 'SELECT count(*) FROM clip'; }
has_rows() { [[ $(rows) == "$1" ]]; }

# shellcheck disable=SC2154  # who sources this says which program
start_program() {
  say "Starting $program"
  start_here copypasta "$program"
  app=$started_pid
  database=$XDG_DATA_HOME/copypasta/history.sqlite3
  until_true "$patience" find_window || fail "the window did not come up and take the focus: $(cat "$scratch/copypasta.err")"
}

# Found by its class, like any window manager finds it, and ready once it has the focus.
find_window() {
  window=$(xdotool search --onlyvisible --class '^org\.copypasta\.CopyPasta$' | head -n 1)
  [[ -n $window && $(xdotool getactivewindow) == "$window" ]]
}

# copy WHAT FILE: another program, xclip, copies a text while CopyPasta's window is active.
copy() {
  local before
  before=$(rows 2>/dev/null || echo 0)
  say "xclip copies $1"
  start_here xclip xclip -quiet -in -selection clipboard "$2"
  # shellcheck disable=SC2034  # for who sources this
  owner=$started_pid
  until_true "$patience" has_rows $((before + 1)) || fail "$1 was copied, but did not become a row"
  # hex(), because the text is compared byte for byte.
  query "SELECT hex(text) FROM clip ORDER BY captured_at DESC, id DESC LIMIT 1" >"$scratch/stored"
  od -An -v -tx1 "$2" | tr -d ' \n' | tr a-f A-F | cmp -s - <(tr -d '\n' <"$scratch/stored") ||
    fail "$1 was stored, but not byte for byte"
}

# It has to end by itself, without a word.
stop_program() {
  kill "$app" || fail "CopyPasta ended by itself: $(cat "$scratch/copypasta.err")"
  until_true "$patience" has_ended || fail "CopyPasta did not end"
  wait "$app" || fail "CopyPasta ended with status $?: $(cat "$scratch/copypasta.err")"
  [[ ! -s $scratch/copypasta.err ]] || fail "CopyPasta complained: $(cat "$scratch/copypasta.err")"
}

has_ended() { ! kill -0 "$app"; }
