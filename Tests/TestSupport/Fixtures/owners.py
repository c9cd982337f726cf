"""What x11_owner.py and wayland_owner.py have in common: the table of behaviours, and how an owner answers.

A behaviour is a dictionary with the answer to each target or type: bytes, or steps that the owner takes, such as
"half-200-dies". A number waits for so many milliseconds; all other steps are methods of the owner.
"""
import sys
import time

TEXT = b"the owner's text"
HINT = 'x-kde-passwordManagerHint'


def behaviours(form):
    """The behaviours that X11 and Wayland share, with the text in `form`."""
    secret = {form: b'hunter2'}
    return {
        'NoAnswer': {form: 'mute'},
        'Die': {form: 'dies'},
        # The user can do something else in between.
        'Slow': {form: '1000-served'},
        'Invalid': {form: b'caf\xe9'},
        'Nul': {form: b'ab\0cd'},
        'HintUnanswered': secret | {HINT: 'mute'},
        'HintRefused': secret | {HINT: 'refused'},
    }


def behaviour(table):
    """The behaviour that the first argument names:

    Offers TARGET:HEX...       offers each target with these bytes
    Forms:TARGET=STEPS,...     answers each target in its own way
    NAME                       a behaviour of `table`
    """
    name, _, forms = sys.argv[1].partition(':')
    if name == 'Offers':
        pairs = [argument.rpartition(':') for argument in sys.argv[2:]]
        return {target: bytes.fromhex(digits) for target, _, digits in pairs}
    # The order in which forms are listed does not matter.
    return dict(reversed([pair.rsplit('=', 1) for pair in forms.split(',')])) if forms else table[name]


def say(line):
    print(line, flush=True)


class Owner:
    """Answers requests: the request of X11, or the pipe of Wayland."""

    def give(self, request, answer):
        if isinstance(answer, bytes):
            self.put(request, answer)
            return
        for step in answer.split('-'):
            if step.isdigit():
                time.sleep(int(step) / 1000)
            else:
                getattr(self, step)(request)

    def lost(self):
        """Another program has taken the clipboard. An owner that only offers prints nothing but requests."""
        if sys.argv[1] != 'Offers':
            say('lost')

    def mute(self, request):
        pass

    def served(self, request):
        self.put(request, TEXT)

    def empty(self, request):
        self.put(request, b'')
