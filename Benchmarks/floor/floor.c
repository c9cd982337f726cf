/* The floor: the least that a GTK 4 program with CopyPasta's window can cost. A header bar and a GtkListView of 50
   rows of two labels, directly in a GtkScrolledWindow; no clipboard, no database, no settings, no application id.
   CopyPasta's start is measured against this, on the same machine and in the same run. */
#include <gtk/gtk.h>

enum { ROWS = 50 };

/* The renderer that CopyPasta chooses where the user chose none: without this, what is compared is the probing of GL. */
static void choose_renderer(void) {
  setenv("GSK_RENDERER", "cairo", 0);
  if (gtk_get_minor_version() >= 16)
    setenv("GDK_DISABLE", "gl,vulkan", 0);
  else
    setenv("GDK_DEBUG", "gl-disable", 0);
}

static GtkWidget *add_label(GtkWidget *box) {
  GtkWidget *label = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
  gtk_box_append(GTK_BOX(box), label);
  return label;
}

static void setup_row(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data) {
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  add_label(box);
  gtk_widget_add_css_class(add_label(box), "dim-label");
  gtk_list_item_set_child(item, box);
}

static void bind_row(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data) {
  GtkWidget *first = gtk_widget_get_first_child(gtk_list_item_get_child(item));
  gtk_label_set_text(GTK_LABEL(first), gtk_string_object_get_string(gtk_list_item_get_item(item)));
  gtk_label_set_text(GTK_LABEL(gtk_widget_get_next_sibling(first)), "5 minutes ago");
}

static GListModel *make_rows(void) {
  GtkStringList *rows = gtk_string_list_new(NULL);
  for (int row = 0; row < ROWS; row++)
    gtk_string_list_take(rows, g_strdup_printf("Row %d: a line of text as somebody might have copied it", row));
  return G_LIST_MODEL(rows);
}

static GtkWidget *make_list(void) {
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  g_signal_connect(factory, "setup", G_CALLBACK(setup_row), NULL);
  g_signal_connect(factory, "bind", G_CALLBACK(bind_row), NULL);
  GtkSelectionModel *selection = GTK_SELECTION_MODEL(gtk_single_selection_new(make_rows()));
  return gtk_list_view_new(selection, factory);
}

int main(void) {
  choose_renderer();
  if (!gtk_init_check()) {
    fputs("floor: no display\n", stderr);
    return 1;
  }
  GtkWidget *scrolled = gtk_scrolled_window_new();
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), make_list());

  GtkWidget *window = gtk_window_new();
  gtk_window_set_title(GTK_WINDOW(window), "Floor");
  gtk_window_set_default_size(GTK_WINDOW(window), 480, 640);
  gtk_window_set_titlebar(GTK_WINDOW(window), gtk_header_bar_new());
  gtk_window_set_child(GTK_WINDOW(window), scrolled);
  gtk_window_present(GTK_WINDOW(window));

  while (g_list_model_get_n_items(gtk_window_get_toplevels()) > 0)
    g_main_context_iteration(NULL, TRUE);
}
