"""Relays between one client and the X server that DISPLAY names, and hides BIG-REQUESTS from the client.

Prints the display to which the client must connect.
"""
import os
import socket
import threading

SOCKETS = '/tmp/.X11-unix/X'


def relay(source, target, hidden=b''):
    while data := source.recv(65536):
        # Reverse the name, so that the server does not know the extension.
        target.sendall(data.replace(hidden, hidden[::-1]) if hidden else data)
    target.shutdown(socket.SHUT_WR)


def listen():
    listener = socket.socket(socket.AF_UNIX)
    for number in range(900, 1000):
        try:
            listener.bind(SOCKETS + str(number))
        except OSError:
            continue
        listener.listen()
        print(f':{number}', flush=True)
        return listener, SOCKETS + str(number)
    raise SystemExit('no free display')


listener, path = listen()
client, _ = listener.accept()
os.unlink(path)
server = socket.socket(socket.AF_UNIX)
server.connect(SOCKETS + os.environ['DISPLAY'].lstrip(':').partition('.')[0])
threading.Thread(target=relay, args=(server, client), daemon=True).start()
relay(client, server, b'BIG-REQUESTS')
