/// A box as high as its text; if there is not enough room, the pointer or the keyboard can scroll the text.
@MainActor
public final class ScrollingBox: LayoutBox {
  /// Makes a box around a text, which wraps to the available width.
  public convenience init(_ label: Label) {
    let scrolled = ScrolledWindow(child: label)
    scrolled.isFocusable = true
    scrolled.setLabelledBy(label)
    self.init(scrolled)
  }

  /// Makes a box around `scrolled`, as high as its content at the available width.
  public convenience init(_ scrolled: ScrolledWindow) { self.init(Scrolling(), [scrolled]) }

  /// Requests the content's natural size, because a scrolled window requests only its longest word's width and one
  /// line's height.
  private struct Scrolling: Layout {
    func width(of children: [LayoutChild]) -> Extent {
      // Measure without a height, which may be less than the scrolled window's minimum height.
      (children[0].width.minimum, children[0].content?.width.natural ?? 0)
    }

    func place(_ children: [LayoutChild], inWidth width: Int, height: Int?) -> Placement {
      let content = children[0].content?.height(inWidth: width).natural ?? 0
      let least = min(children[0].height(inWidth: width).minimum, content)
      // Hide the scrolled window if the box has no height, which is less than its scroll bar's minimum height.
      return ((least, content), [height == 0 ? nil : (0, 0, width, height ?? content)])
    }
  }
}

/// A box that hides its child if there is not enough room for it.
@MainActor
public final class Squeezer: LayoutBox {
  /// Makes a box that requests its child's natural size, and has a minimum size of 0.
  public convenience init(_ child: Widget) { self.init(Squeezing(), [child]) }

  private struct Squeezing: Layout {
    func width(of children: [LayoutChild]) -> Extent { (0, children[0].width.natural) }

    func place(_ children: [LayoutChild], inWidth width: Int, height: Int?) -> Placement {
      // A hidden child needs no height.
      guard width >= children[0].width.minimum else { return ((0, 0), [nil]) }
      let natural = children[0].height(inWidth: width).natural
      return ((0, natural), [(0, 0, width, height ?? natural)])
    }
  }
}

/// A box that shrinks its child to the child's minimum width while a `Squeezer` in the child hides something.
@MainActor
public final class ShrinkingBox: LayoutBox {
  /// Makes a box around `child`; `squeezed` is what the `Squeezer` may hide.
  public convenience init(_ child: Widget, whileHidden squeezed: Widget) {
    self.init(Shrinking(squeezed: LayoutChild(widget: squeezed.widget)), [child])
  }

  private struct Shrinking: Layout {
    let squeezed: LayoutChild

    func width(of children: [LayoutChild]) -> Extent { children[0].width }

    func place(_ children: [LayoutChild], inWidth width: Int, height: Int?) -> Placement {
      let (own, part) = (children[0].width, squeezed.width)
      let isWhole = width >= own.natural - part.natural + part.minimum
      let needed = children[0].height(inWidth: width)
      return (needed, [(0, 0, isWhole ? width : own.minimum, height ?? needed.natural)])
    }
  }
}

/// A scrollable view with a footer; the footer is shown only if the view's content leaves room for it.
@MainActor
public final class FootedBox: LayoutBox {
  /// Requests the size of `view` alone; `foot` gets only room that `view` does not need.
  ///
  /// - Parameter width: The greatest width of the footer, which is centred.
  public convenience init(_ view: ScrolledWindow, foot: Widget, width: Int) {
    self.init(Footed(limit: width), [view, foot])
  }

  private struct Footed: Layout {
    let limit: Int

    func width(of children: [LayoutChild]) -> Extent { children[0].width }

    func place(_ children: [LayoutChild], inWidth width: Int, height: Int?) -> Placement {
      let (view, foot) = (children[0], children[1])
      guard let height else { return (view.height(inWidth: width), []) }
      let own = min(width, limit)
      var footHeight = foot.isVisible ? foot.height(inWidth: own).natural : 0
      if footHeight > 0 {
        // Add a quarter, because a list view requests less height than its rows take if the rows have margins.
        let needed = (view.content?.height(inWidth: width).natural ?? 0) * 5 / 4
        if needed + footHeight > height { footHeight = 0 }
      }
      let rest = height - footHeight
      return (
        (0, 0), [(0, 0, width, rest), footHeight > 0 ? ((width - own) / 2, rest, own, footHeight) : nil]
      )
    }
  }
}

/// Two widgets side by side, or one above the other if there is not enough room.
///
/// Side by side, the second widget gets at most half of the width, or what the first does not need; if it expands, it
/// gets the same width as the first.
@MainActor
public final class ReflowingBox: LayoutBox {
  /// Places `second` at the end of the line; `first` gets the remaining width.
  public convenience init(_ first: Widget, _ second: Widget) { self.init(Reflowing(), [first, second]) }

  private struct Reflowing: Layout {
    private static let (horizontalSpacing, verticalSpacing) = (12, 6)

    func width(of children: [LayoutChild]) -> Extent {
      let (one, two) = (children[0].width, children[1].width)
      let widest = max(one.natural, two.natural)
      let natural = children[1].expands ? 2 * widest : one.natural + two.natural
      return (max(one.minimum, two.minimum), natural + Self.horizontalSpacing)
    }

    func place(_ children: [LayoutChild], inWidth width: Int, height: Int?) -> Placement {
      let (first, second) = (children[0], children[1])
      let (one, two) = (first.width, second.width.natural)
      var end = second.expands ? (width - Self.horizontalSpacing) / 2 : two
      let start = width - Self.horizontalSpacing - end
      if end >= two, start >= min(max(end, one.minimum), one.natural) {
        let (one, two) = (first.height(inWidth: start), second.height(inWidth: end))
        let natural = max(one.natural, two.natural)
        let line = height ?? natural
        return (
          (max(one.minimum, two.minimum), natural), [(0, 0, start, line), (width - end, 0, end, line)]
        )
      }
      end = second.expands ? width : min(two, width)
      let (above, below) = (first.height(inWidth: width), second.height(inWidth: end))
      let natural = above.natural + Self.verticalSpacing + below.natural
      let top = (height ?? natural) - below.natural
      return (
        (above.minimum + Self.verticalSpacing + below.minimum, natural),
        [(0, 0, width, top - Self.verticalSpacing), (width - end, top, end, below.natural)]
      )
    }
  }
}
