"""Reads a program as a screen reader does, through AT-SPI.

screen_reader.py NAME serve SOCKET  prints "ready", then answers each connection to that socket with all elements, as JSON:
                                    role, name, description, states, children
screen_reader.py NAME listen        prints "listening", then a line for each announcement and each changed description of
                                    any program, and "window:activate" each time that a window becomes active while
                                    the program NAME is registered with AT-SPI
"""
import json
import os
import signal
import socket
import sys
import time

import pyatspi

NAME = sys.argv[1]


def known():
    return next((one for one in pyatspi.Registry.getDesktop(0) if one and one.name == NAME), None)


def program():
    for _ in range(200):
        if found := known():
            return found
        time.sleep(0.1)
    raise LookupError('no accessible program named ' + NAME)


def children(node):
    """All child elements, whether on the screen or not, because GTK 4.8 reports only windows as shown."""
    return [child for child in node if child]


def described(node):
    return {
        'role': node.getRoleName(), 'name': node.name or '', 'description': node.description or '',
        'isFocused': node.getState().contains(pyatspi.STATE_FOCUSED),
        'isFocusable': node.getState().contains(pyatspi.STATE_FOCUSABLE),
        'isSelectable': node.getState().contains(pyatspi.STATE_SELECTABLE),
        'children': [described(child) for child in children(node)]}


def serve(path):
    """Answers in a new process each time, like a screen reader that has just started, because libatspi caches elements.
    This process only loads the libraries, and does not connect to the bus."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        print('ready', flush=True)
        while True:
            client, _ = server.accept()
            with client:
                if os.fork() == 0:
                    look(client)
            # Pause between answers, because a test that polls would slow down what it waits for.
            time.sleep(0.1)


def look(client):
    with client.makefile('rw', encoding='utf-8') as stream:
        stream.readline()
        try:
            result = {'answer': described(program())}
        except Exception as error:
            result = {'error': repr(error)}
        stream.write(json.dumps(result))
    # Exit without the parent's cleanup handlers.
    os._exit(0)


def listen():
    pyatspi.Registry.registerEventListener(
        lambda event: event.any_data and print(event.any_data, flush=True),
        'object:announcement', 'object:property-change:accessible-description')
    pyatspi.Registry.registerEventListener(
        lambda event: known() and print(event.type, flush=True), 'window:activate')
    print('listening', flush=True)
    pyatspi.Registry.start()


if sys.argv[2] == 'listen':
    listen()
else:
    serve(sys.argv[3])
