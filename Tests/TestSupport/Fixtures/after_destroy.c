/* Preloaded (LD_PRELOAD): once the program has destroyed a window, it says so on standard error if its main loop turns.
   Work that GTK has queued for a window is done there, whether the window still is or not. */
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
