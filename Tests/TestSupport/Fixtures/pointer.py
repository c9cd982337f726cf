"""The pointer of a Wayland seat: plugs one in, says "ready", and keeps it there. It is moved by the compositor's
own commands; without a pointer, clients would not hear of them."""
import wayland

connection = wayland.Connection()
connection.plug_in_pointer()
connection.roundtrip()
print('ready', flush=True)
while True:
    connection.dispatch()
