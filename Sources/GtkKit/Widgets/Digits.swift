import CGtk

/// A key that was pressed, as GTK tells of it.
private struct KeyPress {
  /// What the key means in the present layout (`GDK_KEY_…`).
  let symbol: guint
  /// Which key of the keyboard it is.
  let code: guint
  /// What is held down meanwhile (`GdkModifierType`).
  let modifiers: guint
}

extension Widget {
  /// Calls with 1 to 9 when the key of that digit, in its row or on the number pad, is pressed together with Control.
  ///
  /// It is the key that the digit is printed on: some layouts (French, Czech) give digits with Shift only, others
  /// (Persian) have digits of their own. The answer says whether the key was dealt with.
  public final func onControlDigit(_ body: @escaping @MainActor (Int) -> Bool) {
    let keys = Object(
      Owned(taking: UnsafeMutableRawPointer(gtk_event_controller_key_new().unsafelyUnwrapped)))
    keys.connectKeyPress { symbol, code, modifiers in
      let press = KeyPress(symbol: symbol, code: code, modifiers: modifiers)
      guard let digit = press.controlDigit else { return false }
      return body(digit)
    }
    add(controller: keys)
  }
}

extension KeyPress {
  @MainActor
  var controlDigit: Int? {
    let others =
      GDK_ALT_MASK.rawValue | GDK_SUPER_MASK.rawValue | GDK_HYPER_MASK.rawValue | GDK_META_MASK.rawValue
    guard modifiers & GDK_CONTROL_MASK.rawValue != 0, modifiers & others == 0 else { return nil }
    if let digit = Self.digit(of: symbol) { return digit }
    guard modifiers & GDK_SHIFT_MASK.rawValue == 0 else { return nil }
    return digitOnKey
  }

  /// The digit that the key gives in any of the user's layouts, with any modifier.
  @MainActor
  private var digitOnKey: Int? {
    var symbols: UnsafeMutablePointer<guint>?
    var count: gint = 0
    guard gdk_display_map_keycode(gdk_display_get_default(), code, nil, &symbols, &count) != 0 else {
      return nil
    }
    defer { g_free(symbols) }
    // Not those of the number pad: without Num Lock its keys are End, Page Down and the like.
    return UnsafeBufferPointer(start: symbols, count: Int(count)).lazy.compactMap(Self.digitInRow).first
  }

  private static func digit(of symbol: guint) -> Int? {
    let pad = guint(GDK_KEY_KP_1)...guint(GDK_KEY_KP_9)
    return pad.contains(symbol) ? Int(symbol - pad.lowerBound) + 1 : digitInRow(symbol)
  }

  private static func digitInRow(_ symbol: guint) -> Int? {
    let row = guint(GDK_KEY_1)...guint(GDK_KEY_9)
    return row.contains(symbol) ? Int(symbol - row.lowerBound) + 1 : nil
  }
}
