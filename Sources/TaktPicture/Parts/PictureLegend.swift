import TaktCore

/// The meaning of the marks, and the count of each.
struct PictureLegend: Sendable {
  private enum Symbol {
    case verdict(Verdict.Kind)
    case window, run, failed, stack
  }

  private struct Item {
    var symbol: Symbol
    var text: String
    var x = 0.0
    var line = 0
  }

  private static let fontSize = 12.0
  private static let symbolWidth = 18.0
  private static let gap = 18.0
  private let items: [Item]

  var lineCount: Int { (items.map(\.line).max() ?? -1) + 1 }

  init(_ rows: [PictureRow], hasWindows: Bool, hasStacks: Bool, width: Int) {
    let tally = VerdictCounts(sumOf: rows)
    let runs = rows.reduce(0) { $0 + $1.runs }
    let failed = rows.reduce(0) { $0 + $1.failedRuns }
    var items = Verdict.Kind.allCases.map {
      Item(symbol: .verdict($0), text: "\($0.rawValue) \(PictureText.count(tally[$0]))")
    }
    items.append(Item(symbol: .run, text: PictureText.count(runs, "run")))
    if failed > 0 {
      items.append(Item(symbol: .failed, text: "\(PictureText.count(failed)) failed"))
    }
    if hasWindows { items.append(Item(symbol: .window, text: "window")) }
    if hasStacks {
      items.append(Item(symbol: .stack, text: "many slots, stacked by verdict"))
    }
    self.items = Self.arranged(items, width: Double(width - 2 * PictureLayout.margin))
  }

  func draw(into svg: inout SVGWriter) {
    for item in items {
      let top = Double(PictureLayout.legendTop + item.line * PictureLayout.legendLineHeight)
      draw(item.symbol, x: item.x, middle: top + 10, into: &svg)
      svg.label(item.text, x: item.x + Self.symbolWidth, y: top + 14, class: "legend")
    }
  }

  private static func arranged(_ items: [Item], width: Double) -> [Item] {
    var x = 0.0
    var line = 0
    return items.map { item in
      var item = item
      let itemWidth = symbolWidth + PictureText.width(item.text, fontSize: fontSize)
      if x > 0 && x + itemWidth > width {
        x = 0
        line += 1
      }
      item.x = x + Double(PictureLayout.margin)
      item.line = line
      x += itemWidth + gap
      return item
    }
  }

  private func draw(_ symbol: Symbol, x: Double, middle: Double, into svg: inout SVGWriter) {
    let place = PictureText.coordinate
    switch symbol {
    case .verdict(let verdict):
      svg.open("g", ["class": "mark"])
      svg.path(SlotGlyph.path(verdict, x: x + 6, y: middle), class: verdict.rawValue)
      svg.close("g")
    case .window:
      svg.rectangle(x: x, y: middle - 3, width: 13, height: 6, class: "window")
    case .run:
      svg.rectangle(x: x, y: middle - 3, width: 13, height: 7, class: "run")
    case .failed:
      svg.rectangle(x: x, y: middle - 3, width: 13, height: 7, class: "failed")
    case .stack:
      svg.open("g", ["class": "fill"])
      var foot = middle + 6
      for (verdict, height) in [(Verdict.Kind.missed, 3.0), (.skipped, 3), (.ran, 7)] {
        foot -= height
        svg.path(
          "M\(place(x)) \(place(foot))h12v\(place(height))h-12z", class: verdict.rawValue)
      }
      svg.close("g")
    }
  }
}
