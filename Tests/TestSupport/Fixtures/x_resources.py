"""Prints the number of windows, pixmaps and other X resources of a window's client, a line for each kind."""
import sys

from Xlib import display

screen = display.Display()
for kind in sorted(screen.res_query_client_resources(int(sys.argv[1])).types,
                   key=lambda kind: screen.get_atom_name(kind.resource_type)):
    print(screen.get_atom_name(kind.resource_type), kind.count)
