/* What Swift's C importer cannot see of GTK and GLib: macros and variadic functions, as inline functions. */
#ifndef COPYPASTA_CGTK_SHIM_H
#define COPYPASTA_CGTK_SHIM_H

#include <gtk/gtk.h>
#include <glib-unix.h>
#include <glib/gi18n.h>
#include <malloc.h>

/* The flags that Swift uses, as constants of their enums' types. From 2.88 on GLib marks its enums of flags, and Swift
   imports a marked one as an option set, without a global constant for each flag; a constant of ours it sees with every
   version. GTK's and GDK's too: they may follow. */
#define COPYPASTA_FLAG(type, name) static const type copypasta_##name = name
COPYPASTA_FLAG(GApplicationFlags, G_APPLICATION_IS_SERVICE);
COPYPASTA_FLAG(GBusNameWatcherFlags, G_BUS_NAME_WATCHER_FLAGS_NONE);
COPYPASTA_FLAG(GDBusCallFlags, G_DBUS_CALL_FLAGS_NONE);
COPYPASTA_FLAG(GDBusCallFlags, G_DBUS_CALL_FLAGS_NO_AUTO_START);
COPYPASTA_FLAG(GDBusConnectionFlags, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT);
COPYPASTA_FLAG(GDBusConnectionFlags, G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION);
COPYPASTA_FLAG(GDBusSignalFlags, G_DBUS_SIGNAL_FLAGS_NONE);
COPYPASTA_FLAG(GFileTest, G_FILE_TEST_IS_DIR);
COPYPASTA_FLAG(GIOCondition, G_IO_ERR);
COPYPASTA_FLAG(GIOCondition, G_IO_HUP);
COPYPASTA_FLAG(GIOCondition, G_IO_IN);
COPYPASTA_FLAG(GKeyFileFlags, G_KEY_FILE_NONE);
COPYPASTA_FLAG(GSignalMatchType, G_SIGNAL_MATCH_DATA);
COPYPASTA_FLAG(GSpawnFlags, G_SPAWN_CLOEXEC_PIPES);
COPYPASTA_FLAG(GSpawnFlags, G_SPAWN_SEARCH_PATH);
COPYPASTA_FLAG(GSpawnFlags, G_SPAWN_STDOUT_TO_DEV_NULL);
COPYPASTA_FLAG(GdkDragAction, GDK_ACTION_COPY);
COPYPASTA_FLAG(GdkFrameClockPhase, GDK_FRAME_CLOCK_PHASE_AFTER_PAINT);
COPYPASTA_FLAG(GdkFrameClockPhase, GDK_FRAME_CLOCK_PHASE_LAYOUT);
COPYPASTA_FLAG(GdkFrameClockPhase, GDK_FRAME_CLOCK_PHASE_FLUSH_EVENTS);
COPYPASTA_FLAG(GdkModifierType, GDK_ALT_MASK);
COPYPASTA_FLAG(GdkModifierType, GDK_CONTROL_MASK);
COPYPASTA_FLAG(GdkModifierType, GDK_HYPER_MASK);
COPYPASTA_FLAG(GdkModifierType, GDK_META_MASK);
COPYPASTA_FLAG(GdkModifierType, GDK_SHIFT_MASK);
COPYPASTA_FLAG(GdkModifierType, GDK_SUPER_MASK);
COPYPASTA_FLAG(GdkToplevelState, GDK_TOPLEVEL_STATE_FOCUSED);
COPYPASTA_FLAG(GtkEventControllerScrollFlags, GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
COPYPASTA_FLAG(GtkStateFlags, GTK_STATE_FLAG_BACKDROP);
COPYPASTA_FLAG(GtkStateFlags, GTK_STATE_FLAG_FOCUS_WITHIN);
/* Types, which are macros with a cast. */
COPYPASTA_FLAG(GType, G_TYPE_BOOLEAN);
COPYPASTA_FLAG(GType, G_TYPE_ENUM);
#undef COPYPASTA_FLAG

/* An instance of a type that Swift registers: a GObject and the Swift object behind it (owned, released in finalize). */
typedef struct {
  GObject parent;
  void *swift;
} CopyPastaObject;

static inline GType copypasta_type_object(void) { return G_TYPE_OBJECT; }
static inline GType copypasta_type_list_model(void) { return G_TYPE_LIST_MODEL; }

static inline GObject *copypasta_object_new(GType type) {
  return (GObject *)g_object_new_with_properties(type, 0, NULL, NULL);
}

static inline gboolean copypasta_is_a(gpointer instance, GType type) {
  return g_type_check_instance_is_a((GTypeInstance *)instance, type);
}

static inline const char *copypasta_type_name(gpointer instance) {
  return G_OBJECT_TYPE_NAME(instance);
}

/* Emits a signal without arguments. */
static inline void copypasta_emit(gpointer instance, const char *signal) { g_signal_emit_by_name(instance, signal); }

/* Of <gio/gunixoutputstream.h>, which lies in a folder of its own. */
GType g_unix_output_stream_get_type(void);
gint g_unix_output_stream_get_fd(gpointer stream);
gpointer g_unix_output_stream_new(gint fd, gboolean close_fd);

/* Of <gdk/x11/gdkx.h>, which cannot be included: with Xlib comes a macro "Bool". */
GType gdk_x11_surface_get_type(void);
unsigned long gdk_x11_surface_get_xid(GdkSurface *surface);
guint32 gdk_x11_get_server_time(GdkSurface *surface);
void gdk_x11_surface_set_user_time(GdkSurface *surface, guint32 timestamp);

/* An event of XInput 2 about the focus, as the signal "xevent" of a GdkX11Display has it: the beginnings of Xlib's
   XGenericEventCookie and XIEnterEvent, which cannot be included either. */
typedef struct {
  int type;
  unsigned long serial;
  int send_event;
  void *display;
  int extension;
  int evtype;
  unsigned int cookie;
  void *data;
} CopyPastaXCookie;
typedef struct {
  int type;
  unsigned long serial;
  int send_event;
  void *display;
  int extension;
  int evtype;
  unsigned long time;
  int deviceid;
  int sourceid;
  int detail;
  unsigned long root;
  unsigned long event;
  unsigned long child;
  double root_x;
  double root_y;
  double event_x;
  double event_y;
  int mode;
} CopyPastaXFocus;

/* Whether an X event says that a window has got the focus (1) or lost it (-1), grabs left aside; 0 if it is another. */
static inline int copypasta_focus_change(const void *xevent, unsigned long window) {
  enum { generic_event = 35, focus_in = 9, focus_out = 10, normal = 0, while_grabbed = 3, inferior = 2, pointer = 5 };
  const CopyPastaXCookie *cookie = (const CopyPastaXCookie *)xevent;
  if (cookie->type != generic_event || !cookie->data || (cookie->evtype != focus_in && cookie->evtype != focus_out))
    return 0;
  const CopyPastaXFocus *focus = (const CopyPastaXFocus *)cookie->data;
  if (focus->event != window || (focus->mode != normal && focus->mode != while_grabbed)) return 0;
  /* It stays within the window, or follows the pointer. */
  if (focus->detail == inferior || focus->detail >= pointer) return 0;
  return cookie->evtype == focus_in ? 1 : -1;
}

static inline void copypasta_set_labelled_by(gpointer accessible, gpointer label) {
  gtk_accessible_update_relation(GTK_ACCESSIBLE(accessible), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL, -1);
}

/* What newer GTK calls deprecated, and says at each call: each call is here, and nowhere else. What it names instead is
   not in GTK 4.8. */
G_GNUC_BEGIN_IGNORE_DEPRECATIONS

/* gtk_css_provider_load_from_data (4.12): gtk_css_provider_load_from_string came with the same version. */
static inline void copypasta_css_provider_load(gpointer provider, const char *css) {
  gtk_css_provider_load_from_data(GTK_CSS_PROVIDER(provider), css, -1);
}

/* gtk_style_context_add_provider (4.10): nothing took its place, a style for one widget alone. */
static inline void copypasta_widget_add_style(GtkWidget *widget, gpointer provider, guint priority) {
  gtk_style_context_add_provider(gtk_widget_get_style_context(widget), GTK_STYLE_PROVIDER(provider), priority);
}

/* gtk_window_present_with_time (4.14): gtk_window_present names no time, which X11's window managers want. */
static inline void copypasta_window_present(GtkWindow *window, guint32 time) {
  gtk_window_present_with_time(window, time);
}

G_GNUC_END_IGNORE_DEPRECATIONS

/* The C library keeps at most two heaps from now on, whatever the number of threads. */
static inline void copypasta_share_heaps(void) { mallopt(M_ARENA_MAX, 2); }

/* libdispatch's main queue, for an event loop that is not its own (CoreFoundation uses the same two). */
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *);

#endif
