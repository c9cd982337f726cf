// The installed command, bin/copypasta. For --toggle it calls the running instance over D-Bus and does not load GTK,
// which would take four times as long as the launcher's whole run. Otherwise it executes the program itself:
// libexec/copypasta-gtk, or lib/copypasta-gtk on a distribution without libexec. The launcher is written in C because
// Swift's runtime takes as long to load as GIO (docs/decisions/desktop.md).
#include <gio/gio.h>
#include <libintl.h>
#include <locale.h>
#include <unistd.h>

static const char *const name = "org.copypasta.CopyPasta";
static const char *const path = "/org/copypasta/CopyPasta";

// How long the bus and the running instance together may take to answer, in milliseconds. GDBus has no time limit for
// connecting to the bus.
#ifndef PATIENCE
#define PATIENCE 800
#endif

static gint is_connected;

// Returns the installation prefix, the parent folder of bin.
static char *prefix(void) {
  g_autofree char *file = g_file_read_link("/proc/self/exe", NULL);
  if (file == NULL) return g_strdup("/usr");
  g_autofree char *bin = g_path_get_dirname(file);
  return g_path_get_dirname(bin);
}

static gpointer give_up_in_time(gpointer unused G_GNUC_UNUSED) {
  g_usleep(PATIENCE * 1000);
  g_autofree char *folder = prefix();
  g_autofree char *locales = g_build_filename(folder, "share", "locale", NULL);
  setlocale(LC_ALL, "");
  bindtextdomain("copypasta", locales);
  const char *words = g_atomic_int_get(&is_connected) ? dgettext("copypasta", "CopyPasta is not responding.")
                                                      : dgettext("copypasta", "The session bus is not responding.");
  g_autofree char *line = g_strdup_printf("copypasta: %s\n", words);
  (void)!write(STDERR_FILENO, line, strlen(line));
  _exit(1);
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
  g_thread_unref(g_thread_new("patience", give_up_in_time, NULL));
  GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
  if (bus == NULL) return UNCLEAR;
  g_atomic_int_set(&is_connected, TRUE);
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
    Answer answer = toggle();
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
