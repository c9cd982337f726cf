#!/usr/bin/python3
"""Logs what sway shows and when, in the format of damagelog.c.

Frames and their times come through wlr-screencopy, which copies the next frame that changes anything. Windows come from
sway's IPC socket. GTK always reports the whole window as changed. So the pixels are compared in squares, and the pixels of
the squares that differ are counted.
"""
import mmap
import os
import select
import struct

import wayland
from measure.process import now_ms
from measure.sway import SUBSCRIBE, TREE, Sway, windows

SMALLEST_SIDE, DRAWN_COLOURS, SQUARE = 100, 4, 16
# The number of pictures: the frame that sway is copying, the frame on the screen, and the previous frame.
PICTURES = 3
BYTES_PER_PIXEL = 4
CREATE_POOL, CREATE_BUFFER = 0, 0
CAPTURE_OUTPUT, DESTROY, COPY_WITH_DAMAGE = 0, 1, 2
BUFFER, READY, FAILED = 0, 2, 3


class Picture:
    """A shared memory buffer for a frame."""

    def __init__(self, connection, shm, pixel_format, width, height, stride):
        descriptor = os.memfd_create('picture')
        os.ftruncate(descriptor, stride * height)
        self.memory, self.stride = mmap.mmap(descriptor, stride * height), stride
        pool = connection.new()
        connection.request(shm, CREATE_POOL, pool, stride * height, descriptors=[descriptor])
        os.close(descriptor)
        self.buffer = connection.new()
        connection.request(pool, CREATE_BUFFER, self.buffer, 0, width, height, stride, pixel_format)

    def line(self, x, y, width):
        start = y * self.stride + x * BYTES_PER_PIXEL
        return self.memory[start:start + width * BYTES_PER_PIXEL]

    def shows_content(self, place):
        colours = set()
        for y in range(place['y'], place['y'] + place['height']):
            colours.update(memoryview(self.line(place['x'], y, place['width'])).cast('I'))
            if len(colours) >= DRAWN_COLOURS:
                return True
        return False

    def changed_pixels(self, old, place):
        """Returns how many pixels of the rectangle `place` are in squares that differ from the picture `old`."""
        bottom, count = place['y'] + place['height'], 0
        for top in range(place['y'], bottom, SQUARE):
            lines = [(self.line(place['x'], y, place['width']), old.line(place['x'], y, place['width']))
                     for y in range(top, min(top + SQUARE, bottom))]
            lines = [(new, before) for new, before in lines if new != before]
            if lines:
                width = SQUARE * BYTES_PER_PIXEL
                count += sum(any(new[left:left + width] != before[left:left + width] for new, before in lines)
                             for left in range(0, len(lines[0][0]), width))
        return count * SQUARE ** 2


class Log:
    """Copies successive frames, and compares each frame with the previous frame."""

    def __init__(self):
        self.sway, self.tree = Sway(), Sway()
        self.sway.ask(SUBSCRIBE, '["window"]')
        # The rectangles of the windows (the frontmost last), and the windows that have shown content.
        self.places, self.shown = {}, set()
        self.connection = wayland.Connection()
        self.shm, self.output = self.connection.bind('wl_shm'), self.connection.bind('wl_output')
        self.manager = self.connection.bind('zwlr_screencopy_manager_v1', version=2)
        self.pictures = []
        self.waiting = self.capture()
        self.connection.roundtrip()
        self.copy()

    def run(self):
        while True:
            ready = select.select([self.sway, self.connection.socket], [], [])[0]
            # Handle window events first, because a window exists before its first frame.
            while select.select([self.sway], [], [], 0)[0]:
                self.window_event(self.sway.next())
            if self.connection.socket in ready:
                self.connection.dispatch()

    def window_event(self, event):
        window = event['container']['id']
        if event['change'] == 'new':
            say(now_ms(), 'mapped', window)
            place = next((found['rect'] for found in windows(self.tree.ask(TREE)) if found['id'] == window), None)
            if place and min(place['width'], place['height']) >= SMALLEST_SIDE:
                self.places[window] = place
        elif event['change'] == 'close' and self.places.pop(window, None) and window in self.shown:
            self.shown.remove(window)
            say(now_ms(), 'gone', window)

    # MARK: Frames

    def capture(self):
        """Requests the next frame ahead of time, without a buffer yet, so that no frame is missed."""
        frame = self.connection.new(self.frame_event)
        self.connection.request(self.manager, CAPTURE_OUTPUT, frame, 0, self.output)
        return frame

    def copy(self):
        """Requests a copy of the next frame that is shown."""
        self.copying, picture = self.waiting, self.pictures[0]
        self.connection.request(self.copying, COPY_WITH_DAMAGE, picture.buffer)
        self.waiting = self.capture()

    def frame_event(self, event, data):
        if event == BUFFER:
            while len(self.pictures) < PICTURES:
                self.pictures.append(Picture(self.connection, self.shm, *struct.unpack('=4I', data)))
        elif event == READY:
            self.connection.request(self.copying, DESTROY)
            del self.connection.handlers[self.copying]
            self.pictures = [self.pictures[-1], *self.pictures[:-1]]
            self.copy()
            high, low, nanoseconds = struct.unpack('=3I', data)
            self.note_frame((high << 32 | low) * 1e3 + nanoseconds / 1e6)
        elif event == FAILED:
            raise SystemExit('copylog: sway gave no picture')

    def note_frame(self, time):
        if not self.places:
            return
        window, place = list(self.places.items())[-1]
        _, new, old = self.pictures
        if window in self.shown:
            pixels = new.changed_pixels(old, place)
            if pixels:
                say(time, 'drawn', window, pixels)
        elif new.shows_content(place):
            self.shown.add(window)
            say(time, 'first', window, place['width'] * place['height'])


def say(time, what, window, pixels=0):
    print(f'{time:.3f} {what} {window} {pixels}', flush=True)


log = Log()
print('ready', flush=True)
log.run()
