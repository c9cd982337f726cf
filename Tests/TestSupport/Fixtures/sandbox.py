#!/usr/bin/python3
"""Runs a program in a sandbox like Flatpak's, with exactly the permissions of org.copypasta.CopyPasta.yml.

sandbox.py PROGRAM [ARGUMENT...]

Flatpak itself would need a runtime of a gigabyte. This script calls bubblewrap and xdg-dbus-proxy as Flatpak does
(flatpak-run.c, flatpak-context.c), with the system's /usr as the runtime. It takes the bus, the display and HOME from
the environment. As with Flatpak, the program's files are in .var/app.
"""
import os
import subprocess
import sys
from pathlib import Path

import yaml

PROJECT = Path(__file__).resolve().parents[3]


def fail(message):
    sys.exit(f'sandbox.py: {message}')


class Permissions:
    """The manifest's permissions. An unknown option is an error, because this script would not apply it."""

    def __init__(self, manifest):
        content = yaml.safe_load(manifest.read_text())
        self.id = content['id']
        self.sockets, self.talk, self.shares = set(), [], set()
        for argument in content['finish-args']:
            name, _, value = argument.partition('=')
            if name == '--socket' and value in ('wayland', 'fallback-x11'):
                self.sockets.add(value)
            elif name == '--talk-name':
                self.talk.append(value)
            elif name == '--share' and value in ('ipc', 'network'):
                self.shares.add(value)
            else:
                fail(f'{argument}: what Flatpak makes of it is not known here')


def start_proxy(permissions, folder):
    """Starts a proxy that filters the session bus. Returns its socket, and a descriptor that ends the proxy when closed."""
    address = os.environ.get('DBUS_SESSION_BUS_ADDRESS') or fail('no session bus')
    socket = folder / 'bus'
    ended, ends = os.pipe()
    name = permissions.id
    command = ['xdg-dbus-proxy', f'--fd={ends}', address, str(socket), '--filter', f'--own={name}', f'--own={name}.*',
               '--call=org.freedesktop.portal.*=*',
               '--broadcast=org.freedesktop.portal.*=@/org/freedesktop/portal/*']
    # Keep the proxy's messages about closed connections out of the program's standard error.
    log = folder / 'xdg-dbus-proxy.log'
    with log.open('wb') as errors:
        subprocess.Popen(command + [f'--talk={talk}' for talk in permissions.talk], pass_fds=[ends], stderr=errors)
    os.close(ends)
    # The proxy writes a byte when it is ready, and ends when the other end of the pipe is closed.
    if not os.read(ended, 1):
        fail(f'xdg-dbus-proxy has ended: {log.read_text().strip()}')
    return socket, ended


def display_arguments(permissions, runtime):
    """The arguments for the display that the manifest permits."""
    wayland = os.environ.get('WAYLAND_DISPLAY')
    if wayland and 'wayland' in permissions.sockets:
        socket = Path(os.environ['XDG_RUNTIME_DIR']) / wayland
        return ['--bind', str(socket), f'{runtime}/{socket.name}', '--setenv', 'WAYLAND_DISPLAY', socket.name]
    display = os.environ.get('DISPLAY')
    if display and 'fallback-x11' in permissions.sockets:
        socket = '/tmp/.X11-unix/X' + display.lstrip(':').split('.')[0]
        return ['--bind', socket, socket, '--setenv', 'DISPLAY', display]
    fail('no display that the manifest allows')


def system_arguments():
    """The arguments for the runtime: /usr, and the files in /etc that libraries need."""
    arguments = ['--ro-bind', '/usr', '/usr']
    for name in ('bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'):
        path = Path('/') / name
        if path.is_symlink():
            arguments += ['--symlink', os.readlink(path), str(path)]
    for name in ('fonts', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'machine-id', 'passwd', 'group'):
        arguments += ['--ro-bind-try', f'/etc/{name}', f'/etc/{name}']
    return arguments


def library_arguments(program):
    """The arguments for libraries outside the system's folders: a debug build links Swift's libraries dynamically."""
    listing = subprocess.run(['ldd', program], capture_output=True, text=True, check=True).stdout
    paths = [line.split('=> ')[1].split()[0] for line in listing.splitlines() if '=> /' in line]
    return [word for path in paths if not path.startswith(('/usr/', '/lib')) for word in ('--ro-bind', path, path)]


def main(command):
    permissions = Permissions(PROJECT / 'org.copypasta.CopyPasta.yml')
    home = Path(os.environ['HOME']) / '.var/app' / permissions.id
    places = {'XDG_DATA_HOME': 'data', 'XDG_CONFIG_HOME': 'config', 'XDG_CACHE_HOME': 'cache',
              'XDG_STATE_HOME': '.local/state'}
    for place in places.values():
        (home / place).mkdir(parents=True, exist_ok=True)
    own = Path(os.environ['XDG_RUNTIME_DIR']) / '.flatpak' / str(os.getpid())
    own.mkdir(parents=True)
    (own / 'info').write_text(f'[Application]\nname={permissions.id}\n\n[Instance]\ninstance-id={os.getpid()}\n')
    socket, proxy = start_proxy(permissions, own)
    runtime = f'/run/user/{os.getuid()}'
    arguments = ['bwrap', '--die-with-parent', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try']
    arguments += ['--unshare-ipc'] * ('ipc' not in permissions.shares)
    arguments += ['--unshare-net'] * ('network' not in permissions.shares)
    arguments += system_arguments()
    arguments += ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--dir', '/var/tmp', '--perms', '0700', '--dir',
                  runtime]
    # The program's folder, with its other files, in place of Flatpak's /app.
    program = str(Path(command[0]).resolve())
    arguments += ['--ro-bind', str(Path(program).parent), str(Path(program).parent)]
    arguments += library_arguments(program)
    # The folder of the settings schema in a checkout.
    arguments += ['--ro-bind', str(PROJECT / 'data'), str(PROJECT / 'data')]
    arguments += ['--bind', str(home), str(home), '--ro-bind', str(own / 'info'), '/.flatpak-info']
    arguments += ['--bind', str(socket), f'{runtime}/bus']
    for name in ('DISPLAY', 'WAYLAND_DISPLAY'):
        arguments += ['--unsetenv', name]
    arguments += display_arguments(permissions, runtime)
    for name, place in places.items():
        arguments += ['--setenv', name, str(home / place)]
    arguments += ['--setenv', 'DBUS_SESSION_BUS_ADDRESS', f'unix:path={runtime}/bus', '--setenv', 'XDG_RUNTIME_DIR',
                  runtime, '--setenv', 'FLATPAK_ID', permissions.id, '--chdir', str(home)]
    # From gdk-pixbuf 2.44 on, glycin decodes pictures in a sandbox of its own. Within Flatpak it needs the portal
    # org.freedesktop.portal.Flatpak, which is missing here.
    arguments += ['--setenv', 'GLYCIN_DISABLE_SANDBOX', 'i-know-the-risks']
    os.set_inheritable(proxy, True)
    os.execvp('bwrap', arguments + ['--sync-fd', str(proxy), '--', program] + command[1:])


if __name__ == '__main__':
    if len(sys.argv) < 2:
        fail('PROGRAM [ARGUMENT...]')
    main(sys.argv[1:])
