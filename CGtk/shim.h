/* What Swift's C importer cannot see of GTK and GLib: macros and variadic functions, as inline functions. */
#ifndef COPYPASTA_CGTK_SHIM_H
#define COPYPASTA_CGTK_SHIM_H

#include <gtk/gtk.h>
#include <glib-unix.h>
#include <glib/gi18n.h>

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

/* libdispatch's main queue, for an event loop that is not its own (CoreFoundation uses the same two). */
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *);

#endif
