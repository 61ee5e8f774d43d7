import TimerMachine

/// The state table as a drawing in SVG. What it shows comes from the table; here is where it goes.
struct StatePicture {
  struct Colors {
    let paper, ink, line, box, edge: String
  }

  static let light = Colors(
    paper: "#ffffff", ink: "#1d1d1f", line: "#6e6e73", box: "#eef4fb", edge: "#2f6fb0")
  static let dark = Colors(
    paper: "#1c1c1e", ink: "#f5f5f7", line: "#a1a1a6", box: "#223247", edge: "#7db4ec")

  struct Change: Hashable {
    let from, to: TimerState
  }

  /// An arrow's way, and where its words begin.
  private struct Way {
    let path: String
    let x, y: Int
    var anchor = "middle"
  }

  private static let places: [TimerState: (x: Int, y: Int)] = [
    .idle: (90, 130), .running: (360, 130), .suspended: (650, 130), .cancelled: (360, 330),
  ]

  private static let ways: [Change: Way] = [
    Change(from: .idle, to: .running): Way(path: "M150 130H294", x: 222, y: 120),
    Change(from: .running, to: .running): Way(
      path: "M335 108C325 58 395 58 387 101", x: 360, y: 54),
    Change(from: .running, to: .suspended): Way(path: "M420 121H584", x: 505, y: 111),
    Change(from: .suspended, to: .running): Way(path: "M590 139H426", x: 505, y: 159),
    Change(from: .suspended, to: .suspended): Way(
      path: "M625 108C615 58 685 58 677 101", x: 650, y: 54),
    Change(from: .running, to: .cancelled): Way(
      path: "M345 152V302", x: 333, y: 214, anchor: "end"),
    Change(from: .cancelled, to: .running): Way(
      path: "M375 308V158", x: 387, y: 234, anchor: "start"),
    Change(from: .suspended, to: .cancelled): Way(
      path: "M650 152V300Q650 330 620 330H426", x: 638, y: 280, anchor: "end"),
  ]

  /// Events that lead from one state to another. The release of a machine that is armed for nothing
  /// changes nothing, and is left out.
  static var changes: [Change: [String]] {
    var found: [Change: [String]] = [:]
    for state in TimerState.allCases {
      for event in TimerEvent.allCases {
        for last in [false, true] {
          guard case .moved(let to, _) = state.transition(on: event, last: last),
            event != .release || to != state
          else { continue }
          let usual = state.transition(on: event)
          let isLast = last && usual != state.transition(on: event, last: true)
          if last && !isLast { continue }
          let words = isLast ? "\(event.rawValue), none left" : event.rawValue
          found[Change(from: state, to: to), default: []].append(words)
        }
      }
    }
    return found
  }

  private static func text(_ words: [String], _ way: Way, _ color: String) -> String {
    let first = way.y - 18 * (way.anchor == "middle" ? words.count - 1 : 0)
    return words.enumerated().map { line, word in
      """
      <text x="\(way.x)" y="\(first + 18 * line)" text-anchor="\(way.anchor)" \
      fill="\(color)">\(word)</text>
      """
    }.joined(separator: "\n")
  }

  /// The drawing; nil where the table has a change that has no place here.
  static func svg(_ colors: Colors) -> String? {
    var parts: [String] = []
    let order = changes.sorted {
      ($0.key.from.rawValue, $0.key.to.rawValue) < ($1.key.from.rawValue, $1.key.to.rawValue)
    }
    for (change, words) in order {
      guard let way = ways[change] else { return nil }
      let stroke = "fill=\"none\" stroke=\"\(colors.line)\" stroke-width=\"1.5\""
      parts.append(
        "<path d=\"\(way.path)\" \(stroke) marker-end=\"url(#head)\"/>\n"
          + text(words, way, colors.ink))
    }
    for state in TimerState.allCases {
      guard let place = places[state] else { return nil }
      parts.append(
        """
        <rect x="\(place.x - 60)" y="\(place.y - 22)" width="120" height="44" rx="10" \
        fill="\(colors.box)" stroke="\(colors.edge)" stroke-width="1.5"/>
        <text x="\(place.x)" y="\(place.y + 5)" text-anchor="middle" font-weight="600" \
        fill="\(colors.ink)">\(state.rawValue)</text>
        """)
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 370" width="740" height="370" \
      font-family="-apple-system, 'Helvetica Neue', Helvetica, Arial, sans-serif" font-size="14">
      <defs><marker id="head" viewBox="0 0 8 8" refX="2" refY="4" markerWidth="8" markerHeight="8" \
      orient="auto"><path d="M0 0L8 4L0 8Z" fill="\(colors.line)"/></marker></defs>
      <rect width="740" height="370" rx="12" fill="\(colors.paper)"/>
      \(parts.joined(separator: "\n"))
      </svg>

      """
  }
}
