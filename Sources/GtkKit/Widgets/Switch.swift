import CGtk

/// Something that is on or off, and takes effect at once.
@MainActor
public final class Switch: Widget {
  /// Makes a switch that is off.
  public convenience init() {
    self.init(new: gtk_switch_new())
  }

  /// Whether it is on.
  public var isOn: Bool {
    get { gtk_switch_get_active(opaque) != 0 }
    set { gtk_switch_set_active(opaque, newValue ? 1 : 0) }
  }

  /// Calls when it is turned on or off, by whomever.
  public func onChange(_ body: @escaping @MainActor () -> Void) { connectNotify("active", body) }
}

/// A number that is typed, or counted up and down.
@MainActor
public final class SpinButton: Widget {
  /// Makes a button for the whole numbers of a range; Page Up and Page Down go `page` steps.
  public convenience init(_ range: ClosedRange<Int>, page: Int) {
    self.init(new: gtk_spin_button_new_with_range(Double(range.lowerBound), Double(range.upperBound), 1))
    gtk_spin_button_set_increments(opaque, 1, Double(page))
    gtk_spin_button_set_numeric(opaque, 1)
  }

  /// The number.
  public var value: Int {
    get { Int(gtk_spin_button_get_value_as_int(opaque)) }
    set { gtk_spin_button_set_value(opaque, Double(newValue)) }
  }

  /// Calls when the number changes, by whomever.
  public func onChange(_ body: @escaping @MainActor () -> Void) { connect("value-changed", body) }
}
