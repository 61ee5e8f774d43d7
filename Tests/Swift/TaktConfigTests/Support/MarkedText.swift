/// A text with `»` before each place of a diagnostic.
struct MarkedText {
  /// Without the signs.
  var text: String
  /// `line:column` of each sign.
  var places: [String] = []

  init(_ marked: String) {
    text = ""
    var (line, column) = (1, 1)
    for character in marked {
      if character == "»" {
        places.append("\(line):\(column)")
        continue
      }
      text.append(character)
      if character.isNewline { (line, column) = (line + 1, 1) } else { column += 1 }
    }
  }
}
