import GtkKit

/// Settings that belong together: a heading, and a frame of rows.
@MainActor
final class PreferenceGroup {
  let root: Widget

  init(_ title: String, _ rows: [PreferenceRow]) {
    let heading = Label(title)
    heading.addStyle("heading")
    let list = ListBox()
    list.addStyle("boxed-list")
    list.setLabelledBy(heading)
    for row in rows { row.container = list.append(row.root, row.clicked) }
    root = Box(.vertical, spacing: 12, [heading, list])
  }
}
