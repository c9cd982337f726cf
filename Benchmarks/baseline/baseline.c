/* The baseline: a minimal GTK 4 program with a window like CopyPasta's. It has a header bar and a GtkListView of 50 rows
   with two labels in a GtkScrolledWindow, but no clipboard, database, settings or application id. It is the reference for
   CopyPasta's start and popup, on the same machine and in the same run.

     baseline        shows its window, as the reference for the start
     baseline ROWS   has that many rows and starts hidden; the action "toggle" of org.copypasta.Baseline on the session bus
                     shows and hides its window, as the reference for the popup
     baseline ROWS NAME   the same with another bus name; draws each popup as active from its first frame on, as CopyPasta does
                     (Sources/GtkKit/Workarounds/ExpectedFocus.swift) */
#include <gtk/gtk.h>
#include <stdbool.h>

enum { ROWS = 50 };

/* Chooses the same renderer as CopyPasta does by default. Otherwise the baseline's figures would include probing GL. */
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

static GListModel *make_rows(int count) {
  GtkStringList *rows = gtk_string_list_new(NULL);
  for (int row = 0; row < count; row++)
    gtk_string_list_take(rows, g_strdup_printf("Row %d: a line of text as somebody might have copied it", row));
  return G_LIST_MODEL(rows);
}

static GtkWidget *make_list(int count) {
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  g_signal_connect(factory, "setup", G_CALLBACK(setup_row), NULL);
  g_signal_connect(factory, "bind", G_CALLBACK(bind_row), NULL);
  GtkSelectionModel *selection = GTK_SELECTION_MODEL(gtk_single_selection_new(make_rows(count)));
  return gtk_list_view_new(selection, factory);
}

static GtkWindow *make_window(int count) {
  GtkWidget *scrolled = gtk_scrolled_window_new();
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), make_list(count));
  GtkWindow *window = GTK_WINDOW(gtk_window_new());
  gtk_window_set_title(window, "Baseline");
  gtk_window_set_default_size(window, 480, 640);
  gtk_window_set_titlebar(window, gtk_header_bar_new());
  gtk_window_set_child(window, scrolled);
  return window;
}

static void toggle(GSimpleAction *action, GVariant *parameter, gpointer window) {
  if (gtk_widget_get_visible(window))
    gtk_widget_set_visible(window, FALSE);
  else
    gtk_window_present(window);
}

static void hide_backdrop(GdkFrameClock *clock, gpointer window) {
  gtk_widget_unset_state_flags(window, GTK_STATE_FLAG_BACKDROP);
}

/* Runs once: the first popup creates the surface, which owns the frame clock, and the window keeps the surface. */
static void expect_focus(GtkWidget *window, gpointer data) {
  g_signal_connect(gtk_widget_get_frame_clock(window), "before-paint", G_CALLBACK(hide_backdrop), window);
}

static bool serve(GtkWindow *window, const char *name) {
  GApplication *application = g_application_new(name, G_APPLICATION_IS_SERVICE);
  GSimpleAction *action = g_simple_action_new("toggle", NULL);
  g_signal_connect(action, "activate", G_CALLBACK(toggle), window);
  g_action_map_add_action(G_ACTION_MAP(application), G_ACTION(action));
  return g_application_register(application, NULL, NULL);
}

int main(int argc, char **argv) {
  choose_renderer();
  if (!gtk_init_check()) {
    fputs("baseline: no display\n", stderr);
    return 1;
  }
  GtkWindow *window = make_window(argc > 1 ? atoi(argv[1]) : ROWS);
  if (argc == 1)
    gtk_window_present(window);
  else if (!serve(window, argc > 2 ? argv[2] : "org.copypasta.Baseline"))
    return 1;
  if (argc > 2)
    g_signal_connect_after(window, "realize", G_CALLBACK(expect_focus), NULL);
  while (g_list_model_get_n_items(gtk_window_get_toplevels()) > 0)
    g_main_context_iteration(NULL, TRUE);
}
