/* Preloaded (LD_PRELOAD): prints a line to standard error if the main loop runs after the program has destroyed a window.
   In that loop, GTK would run work that it has queued for the destroyed window. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

typedef void (*Destroy)(void *window);
typedef unsigned (*AddIdle)(int (*body)(void *), void *data);

static int turned(void *data) {
  static const char line[] = "the main loop turned after a window was destroyed\n";
  (void)!write(STDERR_FILENO, line, sizeof line - 1);
  return 0;
}

void gtk_window_destroy(void *window) {
  ((Destroy)dlsym(RTLD_NEXT, "gtk_window_destroy"))(window);
  ((AddIdle)dlsym(RTLD_DEFAULT, "g_idle_add"))(turned, 0);
}
