import GtkKit

/// What the icon looks like and is called: the properties of the StatusNotifierItem.
@MainActor
final class TrayLook {
  /// The sizes that panels use, in pixels; a host takes the next larger one and scales it down.
  private static let sizes = [16, 22, 24, 32, 48, 64]
  private static let symbolicIcon = CopyPasta.id + "-symbolic"

  private lazy var pixmaps = Self.sizes.compactMap { Pixmap(svg: PackageResources.icon_svg, size: $0) }

  /// Whether the host finds the icon in the theme, by its name, and so can give it the panel's colour.
  private var hasName: Bool { ProgramFiles.areKnownToOthers && Theme.hasIcon(Self.symbolicIcon) }

  /// Each is asked for when a host wants it.
  var properties: [String: Bus.Property] {
    let noIcon: Bus.Property = { .array(of: "(iiay)", []) }
    let noName: Bus.Property = { .string("") }
    return [
      "Category": { .string("ApplicationStatus") },
      "Id": { .string(CopyPasta.id) },
      "Title": { .string(CopyPasta.name) },
      "Status": { .string("Active") },
      "WindowId": { .int32(0) },
      "IconName": { [self] in .string(hasName ? Self.symbolicIcon : "") },
      "IconPixmap": { [self] in .array(of: "(iiay)", hasName ? [] : pixmaps.map(\.variant)) },
      "IconThemePath": noName,
      "OverlayIconName": noName,
      "OverlayIconPixmap": noIcon,
      "AttentionIconName": noName,
      "AttentionIconPixmap": noIcon,
      "AttentionMovieName": noName,
      // Never a clip's text: other programs read this.
      "ToolTip": {
        .tuple([
          .string(""), .array(of: "(iiay)", []), .string(CopyPasta.name), .string(tr("Clipboard history")),
        ])
      },
      "ItemIsMenu": { .bool(false) },
      "Menu": { .objectPath(TrayMenu.path) },
    ]
  }
}

extension Pixmap {
  /// As the StatusNotifierItem specification wants it, `(iiay)`.
  fileprivate var variant: Variant { .tuple([.int32(Int32(width)), .int32(Int32(height)), .bytes(argb)]) }
}
