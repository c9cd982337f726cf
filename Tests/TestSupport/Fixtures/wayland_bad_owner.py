"""wayland_bad_owner.py BEHAVIOUR: owns the clipboard of a Wayland desktop with the behaviour of one of the classes below;
"Forms:TYPE=ANSWER,..." lists these types, and gives each its own answer.

The output is that of wayland_owner.py. On Wayland a request is a pipe, so an owner can only misbehave in what it writes
and when it closes the pipe.
"""
import os
import sys
import time

from wayland_owner import Owner

TEXT = 'text/plain;charset=utf-8'
HINT = 'x-kde-passwordManagerHint'


class Good(Owner):
    """An owner that behaves correctly. Behaviours override `written`."""

    text = b"the owner's text"

    def __init__(self):
        super().__init__({TEXT: self.text})

    def asked(self, name, descriptor):
        self.written(descriptor)
        os.close(descriptor)

    def written(self, pipe):
        os.write(pipe, self.text)


class Forms(Good):
    """Answers each form in its own way: served, empty or mute."""
    def __init__(self, spec):
        self.answers = dict(pair.rsplit('=', 1) for pair in spec.split(','))
        # The order of the list does not matter.
        Owner.__init__(self, dict.fromkeys(reversed(self.answers)))

    def asked(self, name, descriptor):
        if self.answers[name] == 'mute':
            self.unanswered.append(descriptor)
            return
        if self.answers[name] == 'served':
            self.written(descriptor)
        os.close(descriptor)


class NoAnswer(Good):
    def asked(self, name, descriptor):
        self.unanswered.append(descriptor)


class Die(Good):
    def written(self, pipe):
        sys.exit()


class DieMidway(Good):
    def written(self, pipe):
        os.write(pipe, b'half of ')
        time.sleep(0.2)
        os._exit(0)


class DieMidwayOfMuch(Good):
    """Dies after sending more than a pipe can hold, so that the reader must have begun to read."""
    def written(self, pipe):
        for _ in range(10):
            os.write(pipe, b'half of ' * 10_000)
        os._exit(0)


class CloseAndDie(Good):
    """Closes the pipe before its connection, as the kernel may do for an owner that is killed."""
    def written(self, pipe):
        os.write(pipe, b'half of ')
        os.close(pipe)
        time.sleep(0.005)
        os._exit(0)


class Stall(NoAnswer):
    def asked(self, name, descriptor):
        os.write(descriptor, b'half of ')
        super().asked(name, descriptor)


class Drip(Good):
    """Sends single bytes, without an end."""
    def written(self, pipe):
        try:
            while True:
                os.write(pipe, b'x')
                print('piece', flush=True)
                time.sleep(0.05)
        except BrokenPipeError:
            pass


class Long(Good):
    """Sends slowly, so that another program can take over the clipboard in the middle."""
    def written(self, pipe):
        try:
            for _ in range(20):
                os.write(pipe, b'abc' * 1000)
                print('piece', flush=True)
                time.sleep(0.05)
        except BrokenPipeError:
            pass


class Slow(Good):
    """Answers after a second, so that the user can do something else in between."""
    def written(self, pipe):
        time.sleep(1)
        super().written(pipe)

    def lost(self):
        print('lost', flush=True)
        super().lost()


class DieLate(Good):
    """Sends half of the text, and dies after a while, so that the window can lose the focus in between."""
    def written(self, pipe):
        os.write(pipe, b'half of ')
        print('piece', flush=True)
        time.sleep(1.5)
        os._exit(0)


class SecretAfterHint(Owner):
    """Copies a secret after it has answered that the previous text is not a secret."""
    def __init__(self):
        super().__init__({TEXT: b'no secret', HINT: b'public'})
        self.cancels = 0

    def asked(self, name, descriptor):
        value = self.offers[name]
        super().asked(name, descriptor)
        if value == b'public':
            time.sleep(0.02)
            self.copy({TEXT: b'hunter2', HINT: b'secret'})
            print('swapped')

    def lost(self):
        self.cancels += 1
        if self.cancels == 2:
            super().lost()


class HintEmpty(Owner):
    def __init__(self):
        super().__init__({TEXT: b'hunter2', HINT: b''})


class HintUnanswered(NoAnswer):
    def __init__(self):
        Owner.__init__(self, {TEXT: b'hunter2', HINT: b''})


class HintRefused(HintUnanswered):
    def asked(self, name, descriptor):
        os.close(descriptor)


TEXTS = {'Invalid': b'caf\xe9', 'Nul': b'ab\0cd', 'NulsAtEnd': Good.text + b'\0\0', 'Nothing': b''}

if __name__ == '__main__':
    name, *spec = sys.argv[1].split(':')
    behaviour = type(name, (Good,), {'text': TEXTS[name]}) if name in TEXTS else globals()[name]
    behaviour(*spec).run()
