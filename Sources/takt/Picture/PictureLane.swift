/// A lane below the rows: its name, what is to be known of it in figures, and its base line.
struct PictureLane: Sendable {
  let scale: PictureScale
  let top: Int

  /// The height of the highest column.
  static let columnHeightMax = PictureLayout.laneHeight - 14
  /// Where a column of height 0 stands.
  var base: Int { top + PictureLayout.laneHeight - 6 }

  /// Draws the name, the figures and the base line.
  func drawFrame(name: String, figures: [String], into svg: inout SVGWriter) {
    let x = Double(PictureLayout.margin)
    svg.label(name, x: x, y: Double(top + 16), class: "lane")
    for (line, figure) in figures.enumerated() {
      let room = Double(scale.left - PictureLayout.margin - 10)
      let text = PictureText.shortened(
        figure, toWidth: room, fontSize: PictureLayout.smallFontSize)
      svg.label(text, x: x, y: Double(top + 30 + line * 13), class: "small")
    }
    svg.path("M\(scale.left) \(base)H\(scale.right)", class: "thread")
  }

  /// The heights of columns that hold these numbers; what is not 0 can be seen.
  static func heights(_ numbers: [Int]) -> [Int] {
    let highest = numbers.max() ?? 0
    guard highest > 0 else { return numbers.map { _ in 0 } }
    return numbers.map { number in
      let share = Double(number) / Double(highest) * Double(columnHeightMax)
      return number > 0 ? max(1, Int(share.rounded())) : 0
    }
  }
}
