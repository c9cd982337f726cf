"""Plugs a pointer into a Wayland seat, prints "ready", and keeps it plugged in. The compositor's own commands
move the pointer, and clients are notified of this only if the seat has a pointer."""
import wayland

connection = wayland.Connection()
connection.plug_in_pointer()
connection.roundtrip()
print('ready', flush=True)
while True:
    connection.dispatch()
