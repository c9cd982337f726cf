// The installed command, bin/copypasta. For --toggle it calls the running instance over D-Bus and does not load GTK,
// which would take four times as long as the launcher's whole run. Otherwise it executes the program itself:
// libexec/copypasta-gtk, or lib/copypasta-gtk on a distribution without libexec. The launcher is written in C because
// Swift's runtime takes as long to load as GIO (docs/decisions/desktop.md).
#include <gio/gio.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static const char *const name = "org.copypasta.CopyPasta";
static const char *const path = "/org/copypasta/CopyPasta";

// How long the bus and the running instance together may take to answer, in milliseconds. GDBus has no time limit for
// connecting to the bus.
#ifndef PATIENCE
#define PATIENCE 800
#endif

// What does not respond. The error is not translated, because a signal handler must not load a translation.
static const char *volatile silent = "copypasta: The session bus is not responding.\n";

static void give_up(int number G_GNUC_UNUSED) {
  (void)!write(STDERR_FILENO, silent, strlen(silent));
  _exit(1);
}

// Ends the process with an error unless this is called again in time; 0 removes the limit.
static void limit(int milliseconds) {
  struct itimerval time = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};
  signal(SIGALRM, give_up);
  setitimer(ITIMER_REAL, &time, NULL);
}

// Returns the installation prefix, the parent folder of bin.
static char *prefix(void) {
  g_autofree char *file = g_file_read_link("/proc/self/exe", NULL);
  if (file == NULL) return g_strdup("/usr");
  g_autofree char *bin = g_path_get_dirname(file);
  return g_path_get_dirname(bin);
}

// Returns this launch's activation token under two names: the name in the specification, and the name that GTK 4.8
// reads.
static GVariant *platform_data(void) {
  const char *token = g_getenv("XDG_ACTIVATION_TOKEN");
  if (token == NULL || *token == '\0') token = g_getenv("DESKTOP_STARTUP_ID");
  GVariantBuilder data;
  g_variant_builder_init(&data, G_VARIANT_TYPE_VARDICT);
  if (token != NULL && *token != '\0') {
    char *valid = g_utf8_make_valid(token, -1);
    g_variant_builder_add(&data, "{sv}", "desktop-startup-id", g_variant_new_string(valid));
    g_variant_builder_add(&data, "{sv}", "activation-token", g_variant_new_take_string(valid));
  }
  return g_variant_builder_end(&data);
}

typedef enum {
  TOGGLED,
  // No instance is running, or an instance is still starting or has just exited. Execute the program without --toggle,
  // because toggling could hide the window of an instance that is starting.
  NOTHING_TO_TOGGLE,
  // The bus is unavailable, or an unexpected error occurred: let the program report it.
  UNCLEAR,
} Answer;

static Answer toggle(void) {
  GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
  if (bus == NULL) return UNCLEAR;
  silent = "copypasta: CopyPasta is not responding.\n";
  g_autoptr(GError) error = NULL;
  GVariant *no_parameter = g_variant_new_array(G_VARIANT_TYPE_VARIANT, NULL, 0);
  g_autoptr(GVariant) answer = g_dbus_connection_call_sync(
    bus, name, path, "org.freedesktop.Application", "ActivateAction",
    g_variant_new("(s@av@a{sv})", "toggle", no_parameter, platform_data()), NULL, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1,
    NULL, &error);
  if (answer != NULL) return TOGGLED;
  if (error->domain != G_DBUS_ERROR) return UNCLEAR;
  switch (error->code) {
  case G_DBUS_ERROR_SERVICE_UNKNOWN:
  case G_DBUS_ERROR_NAME_HAS_NO_OWNER:
  // The instance exited before it answered.
  case G_DBUS_ERROR_NO_REPLY:
  // The instance owns its name but has not registered its objects yet.
  case G_DBUS_ERROR_UNKNOWN_METHOD:
  case G_DBUS_ERROR_UNKNOWN_OBJECT:
  case G_DBUS_ERROR_UNKNOWN_INTERFACE: return NOTHING_TO_TOGGLE;
  default: return UNCLEAR;
  }
}

int main(int argc, char **argv) {
  if (argc == 2 && g_str_equal(argv[1], "--toggle")) {
    limit(PATIENCE);
    Answer answer = toggle();
    limit(0);
    if (answer == TOGGLED) return 0;
    if (answer == NOTHING_TO_TOGGLE) argv[1] = NULL;
  }
  g_autofree char *folder = prefix();
  g_autofree char *in_lib = g_build_filename(folder, "lib", "copypasta-gtk", NULL);
  execv(in_lib, argv);
  g_autofree char *program = g_build_filename(folder, "libexec", "copypasta-gtk", NULL);
  execv(program, argv);
  g_printerr("copypasta: %s: %s\n", program, g_strerror(errno));
  return 127;
}
