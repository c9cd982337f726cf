"""Sees a program as a screen reader does, by AT-SPI.

screen_reader.py NAME tree        prints all there is as JSON: role, name, description, states, children
screen_reader.py NAME press TEXT  does the action of the button with that name
screen_reader.py NAME depth TEXT  prints how far down in its window the label with that text is
screen_reader.py NAME listen      prints "listening", then each announcement, each description that changes and
                                  "window:activate" for each time that a window becomes active of a program that is known by
                                  then, a line each, until it is ended; of any program
"""
import json
import sys
import time

import pyatspi

BUTTONS = ('push button', 'button', 'toggle button')


def known(name):
    return next((one for one in pyatspi.Registry.getDesktop(0) if one and one.name == name), None)


def program(name):
    for _ in range(200):
        if found := known(name):
            return found
        time.sleep(0.1)
    sys.exit('no accessible program named ' + name)


def children(node):
    """All of them, also what is not on the screen: GTK 4.8 calls nothing but windows shown."""
    return [child for child in node if child]


def described(node):
    return {
        'role': node.getRoleName(), 'name': node.name or '', 'description': node.description or '',
        'isFocused': node.getState().contains(pyatspi.STATE_FOCUSED),
        'isSelectable': node.getState().contains(pyatspi.STATE_SELECTABLE),
        'children': [described(child) for child in children(node)]}


def button(node, name):
    if node.getRoleName() in BUTTONS and node.name == name:
        return node
    return next(filter(None, (button(child, name) for child in children(node))), None)


def press(root, name):
    found = button(root, name)
    if not found:
        sys.exit('no such button: ' + name)
    found.queryAction().doAction(0)


def label(node, text):
    if node.getRoleName() == 'label' and node.name == text:
        return node
    return next(filter(None, (label(child, text) for child in children(node))), None)


def depth(root, text):
    found = label(root, text)
    if not found:
        sys.exit('no such label: ' + text)
    print(found.queryComponent().getExtents(pyatspi.WINDOW_COORDS).y)


def listen():
    pyatspi.Registry.registerEventListener(
        lambda event: event.any_data and print(event.any_data, flush=True),
        'object:announcement', 'object:property-change:accessible-description')
    pyatspi.Registry.registerEventListener(
        lambda event: known(sys.argv[1]) and print(event.type, flush=True), 'window:activate')
    print('listening', flush=True)
    pyatspi.Registry.start()


def main():
    if sys.argv[2] == 'listen':
        listen()
    elif sys.argv[2] == 'press':
        press(program(sys.argv[1]), sys.argv[3])
    elif sys.argv[2] == 'depth':
        depth(program(sys.argv[1]), sys.argv[3])
    else:
        print(json.dumps(described(program(sys.argv[1]))))


main()
