"""The pointer of a Wayland seat: plugs one in, says "ready", and keeps it there. It is moved by the compositor's
own commands; without a pointer, clients would not hear of them."""
import wayland

connection = wayland.Connection()
manager = connection.bind('zwlr_virtual_pointer_manager_v1')
connection.request(manager, 0, 0, connection.new())  # create_virtual_pointer, on the default seat
connection.roundtrip()
print('ready', flush=True)
while True:
    connection.dispatch()
