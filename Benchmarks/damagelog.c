/* damagelog

   Logs what is drawn on the X display and when, one line for each event, until it is killed:

     MS first WINDOW PIXELS   the first frame with content since the window was mapped
     MS drawn WINDOW PIXELS   each later change of pixels, with the size of the rectangle that was drawn
     MS gone WINDOW 0         the window was unmapped

   MS is CLOCK_MONOTONIC in milliseconds, the clock of Python's time.monotonic(). XDamage observes a program's drawing
   from outside, so figures of different toolkits are comparable. Windows of the
   window manager and windows with a side under 100 pixels are ignored. A window shows content once it has at least
   four colours: antialiased text has more, a background with a border has fewer. Pixels are compared, because drawing
   the same pixels again is not a change. */
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/Xdamage.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  SMALLEST_SIDE = 100,
  DRAWN_COLOURS = 4,
  MOST_WINDOWS = 4096, /* Slots, chosen by a window id's low bits; a collision only repeats a check for content. */
};

/* The windows that show content, and their last pictures. */
static struct {
  Window window;
  XImage *picture;
} shown[MOST_WINDOWS];

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

/* Ignore errors, because a window may be destroyed between an event and a request about it. */
static int ignore_error(Display *display, XErrorEvent *error) {
  return 0;
}

static unsigned long number_property(Display *display, Window window, const char *name) {
  Atom type;
  int format;
  unsigned long count, rest, number = 0;
  unsigned char *data = NULL;
  if (XGetWindowProperty(display, window, XInternAtom(display, name, False), 0, 1, False, AnyPropertyType, &type,
                         &format, &count, &rest, &data) == Success &&
      format == 32 && count == 1)
    number = *(unsigned long *)data;
  if (data)
    XFree(data);
  return number;
}

static XImage *picture_of(Display *display, Window window) {
  XWindowAttributes attributes;
  if (!XGetWindowAttributes(display, window, &attributes) || attributes.map_state != IsViewable ||
      attributes.width < SMALLEST_SIDE || attributes.height < SMALLEST_SIDE)
    return NULL;
  return XGetImage(display, window, 0, 0, attributes.width, attributes.height, AllPlanes, ZPixmap);
}

static bool shows_content(XImage *image) {
  unsigned long colours[DRAWN_COLOURS];
  int found = 0;
  for (int y = 0; y < image->height && found < DRAWN_COLOURS; y++)
    for (int x = 0; x < image->width && found < DRAWN_COLOURS; x++) {
      unsigned long colour = XGetPixel(image, x, y);
      int known = 0;
      while (known < found && colours[known] != colour)
        known++;
      if (known == found)
        colours[found++] = colour;
    }
  return found == DRAWN_COLOURS;
}

/* Whether `area` of a window differs from `picture`, the window's last known content; updates the picture. */
static bool changes(Display *display, Window window, XImage *picture, const XRectangle *area) {
  if (area->x < 0 || area->y < 0 || area->x + area->width > picture->width ||
      area->y + area->height > picture->height)
    return true;
  XImage *part = XGetImage(display, window, area->x, area->y, area->width, area->height, AllPlanes, ZPixmap);
  if (!part)
    return true;
  bool found = false;
  int pixel = part->bits_per_pixel / 8;
  for (int y = 0; y < part->height; y++) {
    char *old = picture->data + (area->y + y) * picture->bytes_per_line + area->x * pixel;
    const char *new = part->data + y * part->bytes_per_line;
    found = found || memcmp(old, new, part->width * pixel) != 0;
    memcpy(old, new, part->width * pixel);
  }
  XDestroyImage(part);
  return found;
}

/* The client of a window: the upper bits of the window's id, which are equal for all windows of a client. */
static Window maker(Window window) {
  return window & ~0x1fffffUL;
}

static void say(double time, const char *what, Window window, int pixels) {
  printf("%.3f %s %lu %d\n", time, what, window, pixels);
}

static void note_damage(Display *display, double time, const XDamageNotifyEvent *damage) {
  Window window = damage->drawable;
  Window *slot = &shown[window % MOST_WINDOWS].window;
  XImage **picture = &shown[window % MOST_WINDOWS].picture;
  if (*slot == window) {
    if (changes(display, window, *picture, &damage->area))
      say(time, "drawn", window, damage->area.width * damage->area.height);
    return;
  }
  XImage *first = picture_of(display, window);
  if (first && shows_content(first)) {
    if (*picture)
      XDestroyImage(*picture);
    *slot = window;
    *picture = first;
    say(time, "first", window, damage->geometry.width * damage->geometry.height);
  } else if (first)
    XDestroyImage(first);
}

int main(void) {
  Display *display = XOpenDisplay(NULL);
  int damage_event, damage_error;
  if (!display || !XDamageQueryExtension(display, &damage_event, &damage_error)) {
    fputs("damagelog: no X display with the DAMAGE extension\n", stderr);
    return 1;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  XSetErrorHandler(ignore_error);
  Window root = DefaultRootWindow(display);
  Window manager = maker(number_property(display, root, "_NET_SUPPORTING_WM_CHECK"));
  XSelectInput(display, root, SubstructureNotifyMask);
  XSync(display, False);
  puts("ready");
  for (;;) {
    XEvent event;
    XNextEvent(display, &event);
    double seen = now_ms();
    if (event.type == CreateNotify && maker(event.xcreatewindow.window) != manager) {
      /* Follow a window from its creation on, before it is mapped, so that no frame is missed. */
      XSelectInput(display, event.xcreatewindow.window, StructureNotifyMask);
      XDamageCreate(display, event.xcreatewindow.window, XDamageReportRawRectangles);
    } else if (event.type == damage_event + XDamageNotify)
      note_damage(display, seen, (XDamageNotifyEvent *)&event);
    else if (event.type == UnmapNotify && shown[event.xunmap.window % MOST_WINDOWS].window == event.xunmap.window) {
      shown[event.xunmap.window % MOST_WINDOWS].window = None;
      say(seen, "gone", event.xunmap.window, 0);
    }
  }
}
