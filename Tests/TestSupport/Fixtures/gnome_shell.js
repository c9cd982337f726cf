// The part of the tests that runs inside GNOME Shell. It has a virtual keyboard, pointer and touch screen, as a remote
// desktop has, and accesses the clipboard and the windows. It is evaluated once, and defines the global `tests`.
const {Clutter, Gio, GLib, Meta, Shell, St} = imports.gi;
const STEPS = 10, STEP_TIME = 20;
const MODIFIERS = {ctrl: 'Control_L', shift: 'Shift_L', alt: 'Alt_L', super: 'Super_L'};

globalThis.tests = new class {
    constructor() {
        // GNOME 51 has no default backend, and GNOME 43 has no context.
        const backend = Clutter.get_default_backend?.() ?? global.stage.get_context().get_backend();
        const seat = backend.get_default_seat();
        const plugIn = type => seat.create_virtual_device(Clutter.InputDeviceType[type]);
        this.keyboard = plugIn('KEYBOARD_DEVICE');
        this.pointer = plugIn('POINTER_DEVICE');
        this.screen = plugIn('TOUCHSCREEN_DEVICE');
        this.isTouched = false;
        // Disable hot corners, which show the overview: in GNOME 51 the pointer starts in the corner, and absolute
        // motions do not move it away.
        new Gio.Settings({schema_id: 'org.gnome.desktop.interface'}).set_boolean('enable-hot-corners', false);
        St.Settings.get().inhibit_animations();
        Main.messageTray.bannerBlocked = true;
        Main.welcomeDialog?.close();
        Main.overview.hide();
    }

    // Input

    press(...keys) {
        for (const key of keys) {
            const keyvals = key.split('+').map(name => Clutter[`KEY_${MODIFIERS[name] ?? name}`]);
            for (const keyval of keyvals)
                this.notifyKey(keyval, Clutter.KeyState.PRESSED);
            for (const keyval of keyvals.reverse())
                this.notifyKey(keyval, Clutter.KeyState.RELEASED);
        }
    }

    notifyKey(keyval, state) {
        this.keyboard.notify_keyval(GLib.get_monotonic_time(), keyval, state);
    }

    moveMouse(x, y) {
        this.pointer.notify_absolute_motion(GLib.get_monotonic_time(), x, y);
    }

    click(button) {
        for (const state of [Clutter.ButtonState.PRESSED, Clutter.ButtonState.RELEASED])
            this.pointer.notify_button(GLib.get_monotonic_time(), button, state);
    }

    touchDown(x, y) {
        this.screen.notify_touch_down(GLib.get_monotonic_time(), 0, x, y);
    }

    touchUp() {
        this.screen.notify_touch_up(GLib.get_monotonic_time(), 0);
    }

    tap(x, y) {
        this.touchDown(x, y);
        this.touchUp();
    }

    // Moves a finger over the screen. Starts without a pause, because a pause could count as a long press.
    swipe(x, y, right) {
        this.isTouched = true;
        this.touchDown(x, y);
        let step = 0;
        const move = () => {
            step++;
            this.screen.notify_touch_motion(
                GLib.get_monotonic_time(), 0, x + right * step / STEPS, y);
            if (step < STEPS)
                return GLib.SOURCE_CONTINUE;
            this.touchUp();
            this.isTouched = false;
            return GLib.SOURCE_REMOVE;
        };
        move();
        GLib.timeout_add(GLib.PRIORITY_DEFAULT, STEP_TIME, move);
    }

    // Binds keys to a command, as the desktop's settings do.
    bind(accelerator, command) {
        const bound = global.display.grab_accelerator(accelerator, Meta.KeyBindingFlags.NONE);
        Main.wm.allowKeybinding(Meta.external_binding_name_for_action(bound), Shell.ActionMode.ALL);
        global.display.connect('accelerator-activated', (_display, action) => {
            if (action === bound)
                GLib.spawn_async(null, command, null, GLib.SpawnFlags.SEARCH_PATH, null);
        });
        return bound;
    }

    // The clipboard, without a window

    // Copies a text. Only the benchmarks call this.
    copy(text) {
        St.Clipboard.get_default().set_text(St.ClipboardType.CLIPBOARD, text);
    }

    // Starts to read the text, which is then in `pasted`; it is null if there is none.
    paste() {
        this.pasted = undefined;
        St.Clipboard.get_default().get_text(St.ClipboardType.CLIPBOARD, (_clipboard, text) => {
            this.pasted = text ?? null;
        });
    }

    // Windows

    get windows() {
        return global.get_window_actors().map(({metaWindow}) => {
            const {x, y, width, height} = metaWindow.get_frame_rect();
            return {
                id: metaWindow.get_id(), title: metaWindow.get_title() ?? '',
                applicationID: metaWindow.get_wm_class() ?? '',
                isVisible: metaWindow.showing_on_its_workspace() && !metaWindow.minimized,
                isActive: global.display.focus_window === metaWindow,
                frame: {x, y, width, height},
            };
        });
    }

    window(id) {
        return global.get_window_actors().map(actor => actor.metaWindow).find(window => window.get_id() === id);
    }
}();
'ready'
