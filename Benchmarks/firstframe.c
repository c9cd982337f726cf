/* firstframe [--rss] [--timeout SECONDS] COMMAND...

   Starts a program and prints the milliseconds from its start to the first frame that it drew in a top-level window;
   with --rss then also its resident memory in KiB, one second later. Ends the program.

   A frame counts once XDamage reports a change of a window that a program made (not the window manager: its frames
   have override-redirect set) and the window really shows more than a plain background. It is timed from outside, so
   that it means the same for any toolkit. Exit status: 0; 1 where no frame came; 2 for bad usage. */
#define _GNU_SOURCE
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/Xdamage.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  SMALLEST_SIDE = 100,  /* Smaller windows are icons and helpers. */
  DRAWN_COLOURS = 4,    /* A background and a border are fewer; any text, being smoothed, is more. */
  RSS_AFTER_MS = 1000,
  PATIENCE_MS = 3000,   /* From SIGTERM to SIGKILL. */
};

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

/* A window may go away between an event and what is asked about it. */
static int ignore_error(Display *display, XErrorEvent *error) {
  return 0;
}

static pid_t start(char **command) {
  pid_t parent = getpid();
  pid_t child = fork();
  if (child != 0)
    return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(127);
  execvp(command[0], command);
  perror(command[0]);
  _exit(127);
}

static bool has_ended(pid_t child) {
  siginfo_t information = {0};
  return waitid(P_PID, child, &information, WEXITED | WNOHANG | WNOWAIT) != 0 || information.si_pid != 0;
}

static void end(pid_t child) {
  kill(child, SIGTERM);
  for (int waited = 0; waited < PATIENCE_MS && !has_ended(child); waited += 5)
    usleep(5000);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

/* Follows a new window where a program made it. Its damage is asked for before it is mapped, so no frame is missed. */
static void follow(Display *display, const XCreateWindowEvent *created) {
  if (!created->override_redirect)
    XDamageCreate(display, created->window, XDamageReportRawRectangles);
}

static bool shows_content(Display *display, Window window) {
  XWindowAttributes attributes;
  if (!XGetWindowAttributes(display, window, &attributes) || attributes.map_state != IsViewable ||
      attributes.width < SMALLEST_SIDE || attributes.height < SMALLEST_SIDE)
    return false;
  XImage *image = XGetImage(display, window, 0, 0, attributes.width, attributes.height, AllPlanes, ZPixmap);
  if (!image)
    return false;
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
  XDestroyImage(image);
  return found == DRAWN_COLOURS;
}

/* The time of the first frame, or a negative number where none came. */
static double wait_for_frame(Display *display, int damage_event, pid_t child, double limit_ms) {
  while (now_ms() < limit_ms && !has_ended(child)) {
    struct pollfd connection = {.fd = ConnectionNumber(display), .events = POLLIN};
    if (!XPending(display))
      poll(&connection, 1, 50);
    while (XPending(display)) {
      XEvent event;
      XNextEvent(display, &event);
      double seen = now_ms();
      if (event.type == CreateNotify)
        follow(display, &event.xcreatewindow);
      else if (event.type == damage_event && shows_content(display, ((XDamageNotifyEvent *)&event)->drawable))
        return seen;
    }
  }
  return -1;
}

static long resident_kib(pid_t process) {
  char path[64], line[256];
  long kib = -1;
  snprintf(path, sizeof path, "/proc/%d/smaps_rollup", process);
  FILE *file = fopen(path, "r");
  while (file && kib < 0 && fgets(line, sizeof line, file))
    sscanf(line, "Rss: %ld kB", &kib);
  if (file)
    fclose(file);
  return kib;
}

static int usage(void) {
  fputs("usage: firstframe [--rss] [--timeout SECONDS] COMMAND...\n", stderr);
  return 2;
}

int main(int argc, char **argv) {
  bool rss = false;
  double timeout_ms = 20e3;
  char **command = argv + 1;
  for (; *command && strncmp(*command, "--", 2) == 0; command++)
    if (strcmp(*command, "--rss") == 0)
      rss = true;
    else if (strcmp(*command, "--timeout") == 0 && command[1])
      timeout_ms = atof(*++command) * 1e3;
    else
      return usage();
  if (!*command)
    return usage();

  Display *display = XOpenDisplay(NULL);
  int damage_event, damage_error;
  if (!display || !XDamageQueryExtension(display, &damage_event, &damage_error)) {
    fputs("firstframe: no X display with the DAMAGE extension\n", stderr);
    return 1;
  }
  XSetErrorHandler(ignore_error);
  XSelectInput(display, DefaultRootWindow(display), SubstructureNotifyMask);
  XSync(display, False);

  double started = now_ms();
  pid_t child = start(command);
  double drawn = wait_for_frame(display, damage_event + XDamageNotify, child, started + timeout_ms);
  if (drawn < 0) {
    end(child);
    fprintf(stderr, "firstframe: %s drew no window\n", command[0]);
    return 1;
  }
  printf("%.1f", drawn - started);
  if (rss) {
    usleep(RSS_AFTER_MS * 1000);
    printf(" %ld", resident_kib(child));
  }
  putchar('\n');
  end(child);
}
