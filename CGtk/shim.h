/* Inline functions for GTK's and GLib's macros and variadic functions, which Swift's C importer does not support. */
#ifndef COPYPASTA_CGTK_SHIM_H
#define COPYPASTA_CGTK_SHIM_H

#include <gtk/gtk.h>
#include <glib-unix.h>
#include <glib/gi18n.h>
#include <malloc.h>

/* Constants for the flags that the Swift code uses, typed as their enums. Since 2.88, GLib declares its flag enums in a
   way that Swift imports as option sets, without global constants; these constants work with every version. GTK and GDK
   may make the same change. */
#define COPYPASTA_FLAG(type, name) static const type copypasta_##name = name
COPYPASTA_FLAG(GApplicationFlags, G_APPLICATION_IS_SERVICE);
COPYPASTA_FLAG(GBusNameWatcherFlags, G_BUS_NAME_WATCHER_FLAGS_NONE);
COPYPASTA_FLAG(GDBusCallFlags, G_DBUS_CALL_FLAGS_NONE);
COPYPASTA_FLAG(GDBusCallFlags, G_DBUS_CALL_FLAGS_NO_AUTO_START);
COPYPASTA_FLAG(GDBusConnectionFlags, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT);
COPYPASTA_FLAG(GDBusConnectionFlags, G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION);
COPYPASTA_FLAG(GDBusSignalFlags, G_DBUS_SIGNAL_FLAGS_NONE);
COPYPASTA_FLAG(GFileTest, G_FILE_TEST_IS_DIR);
COPYPASTA_FLAG(GFormatSizeFlags, G_FORMAT_SIZE_IEC_UNITS);
COPYPASTA_FLAG(GIOCondition, G_IO_IN);
COPYPASTA_FLAG(GKeyFileFlags, G_KEY_FILE_NONE);
COPYPASTA_FLAG(GSignalMatchType, G_SIGNAL_MATCH_CLOSURE);
COPYPASTA_FLAG(GSignalMatchType, G_SIGNAL_MATCH_DATA);
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
COPYPASTA_FLAG(GtkStateFlags, GTK_STATE_FLAG_PRELIGHT);
/* GType constants, which GLib defines as macros with a cast. */
COPYPASTA_FLAG(GType, G_TYPE_BOOLEAN);
COPYPASTA_FLAG(GType, G_TYPE_ENUM);
#undef COPYPASTA_FLAG

/* An instance of a type that Swift registers: a GObject that owns a Swift object, and releases it in finalize. */
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

static inline void copypasta_flush(GdkDisplay *display) { gdk_display_flush(display); }

/* Emits a signal without arguments. */
static inline void copypasta_emit(gpointer instance, const char *signal) { g_signal_emit_by_name(instance, signal); }

/* Copied from <gio/gunixoutputstream.h>, because that header needs a separate include directory. */
GType g_unix_output_stream_get_type(void);
gint g_unix_output_stream_get_fd(gpointer stream);
gpointer g_unix_output_stream_new(gint fd, gboolean close_fd);

/* Copied from <gdk/x11/gdkx.h>, which cannot be included because Xlib defines a macro "Bool". */
GType gdk_x11_surface_get_type(void);
unsigned long gdk_x11_surface_get_xid(GdkSurface *surface);
guint32 gdk_x11_get_server_time(GdkSurface *surface);
void gdk_x11_surface_set_user_time(GdkSurface *surface, guint32 timestamp);

/* An XInput 2 focus event, as the signal "xevent" of a GdkX11Display delivers it. The structs contain the leading
   fields of Xlib's XGenericEventCookie and XIEnterEvent, whose headers cannot be included either. */
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

/* Returns 1 if `xevent` gives `window` the focus, -1 if it takes the focus away, and 0 otherwise. Ignores events for
   the start or end of a grab. */
static inline int copypasta_focus_change(const void *xevent, unsigned long window) {
  enum { generic_event = 35, focus_in = 9, focus_out = 10, normal = 0, while_grabbed = 3, inferior = 2, pointer = 5 };
  const CopyPastaXCookie *cookie = (const CopyPastaXCookie *)xevent;
  if (cookie->type != generic_event || !cookie->data || (cookie->evtype != focus_in && cookie->evtype != focus_out))
    return 0;
  const CopyPastaXFocus *focus = (const CopyPastaXFocus *)cookie->data;
  if (focus->event != window || (focus->mode != normal && focus->mode != while_grabbed)) return 0;
  /* Ignore focus changes within the window, and a focus that only follows the pointer. */
  if (focus->detail == inferior || focus->detail >= pointer) return 0;
  return cookie->evtype == focus_in ? 1 : -1;
}

static inline void copypasta_set_labelled_by(gpointer accessible, gpointer label) {
  gtk_accessible_update_relation(GTK_ACCESSIBLE(accessible), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL, -1);
}

/* Functions that newer versions of GTK deprecate, and for which GTK 4.8 has no equivalent. They are called only here,
   where the compiler's deprecation warnings are disabled. */
G_GNUC_BEGIN_IGNORE_DEPRECATIONS

/* gtk_css_provider_load_from_data (deprecated in 4.12, which introduced gtk_css_provider_load_from_string). */
static inline void copypasta_css_provider_load(gpointer provider, const char *css) {
  gtk_css_provider_load_from_data(GTK_CSS_PROVIDER(provider), css, -1);
}

/* gtk_style_context_add_provider (deprecated in 4.10, without a replacement that styles a single widget). */
static inline void copypasta_widget_add_style(GtkWidget *widget, gpointer provider, guint priority) {
  gtk_style_context_add_provider(gtk_widget_get_style_context(widget), GTK_STYLE_PROVIDER(provider), priority);
}

/* gtk_window_present_with_time (deprecated in 4.14; gtk_window_present lacks the time that X window managers need). */
static inline void copypasta_window_present(GtkWindow *window, guint32 time) {
  gtk_window_present_with_time(window, time);
}

/* gdk_display_notify_startup_complete (deprecated in 4.10, without a replacement for a program that shows no window). */
static inline void copypasta_display_end_startup(GdkDisplay *display, const char *startup_id) {
  gdk_display_notify_startup_complete(display, startup_id);
}

G_GNUC_END_IGNORE_DEPRECATIONS

/* Limits the C library to two heaps (malloc arenas), which new threads then share. */
static inline void copypasta_share_heaps(void) { mallopt(M_ARENA_MAX, 2); }

/* Returns freed memory from the C library to the kernel. */
static inline void copypasta_trim_heaps(void) { malloc_trim(0); }

/* libdispatch exports these functions so that another event loop, such as CoreFoundation's, can run the main queue. */
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *);

#endif
