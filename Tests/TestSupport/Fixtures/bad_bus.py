"""A session bus that does not keep to its part.

bad_bus.py SOCKET ANSWER...: takes one connection, and answers what it is sent with one ANSWER after the other, in which
Python's escapes count; then it says nothing more. It prints "ready" once it listens.
"""
import signal
import socket
import sys

server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
print('ready', flush=True)
connection, _ = server.accept()
for answer in sys.argv[2:]:
    connection.recv(4096)
    connection.sendall(answer.encode('latin-1').decode('unicode_escape').encode('latin-1'))
signal.pause()
