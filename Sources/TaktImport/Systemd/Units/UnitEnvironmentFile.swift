import TaktCore

/// A file of `EnvironmentFile`, which systemd and takt read by different rules.
enum UnitEnvironmentFile {
  /// The first line that takt refuses or reads differently; nil if there is none.
  static func foreignLine(of bytes: [UInt8]) -> Int? {
    let source = SourceLines(file: "", bytes: bytes)
    // systemd makes it a part of the first name.
    if source.hasByteOrderMark { return 1 }
    var names: Set<Substring> = []
    for line in source.lines {
      guard line.isText, !line.scalars.contains(where: isControl) else { return line.number }
      guard let trimmed = line.trimmed else { continue }
      let text = line.text(trimmed)
      if text.hasPrefix("#") {
        // To systemd, the next line is a comment, too.
        if line.scalars.last == "\\" { return line.number }
        continue
      }
      guard let sign = text.firstIndex(of: "="), text[..<sign].isVariableName,
        !text.hasPrefix("TAKT_"), names.insert(text[..<sign]).inserted,
        isSame(text[text.index(after: sign)...].unicodeScalars)
      else { return line.number }
    }
    return nil
  }

  /// The variables of a file without foreign lines.
  static func variables(of bytes: [UInt8]) -> [String: String] {
    var variables: [String: String] = [:]
    for line in SourceLines(file: "", bytes: bytes).lines {
      guard let trimmed = line.trimmed, line.scalars[trimmed.lowerBound] != "#" else { continue }
      let text = line.text(trimmed)
      guard let sign = text.firstIndex(of: "=") else { continue }
      let value = text[text.index(after: sign)...].unicodeScalars
      let inner = value.dropFirst().dropLast()
      variables[String(text[..<sign])] =
        switch value.first {
        case "'": String(inner)
        case "\"": unescaped(inner)
        default: String(value)
        }
    }
    return variables
  }

  private static func unescaped(_ text: Substring.UnicodeScalarView) -> String {
    var result = String.UnicodeScalarView()
    var rest = text
    while let scalar = rest.popFirst() {
      let next = scalar == "\\" ? rest.popFirst() : nil
      result.append(next ?? scalar)
    }
    return String(result)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 && scalar != "\t" || (0x7f...0x9f).contains(scalar.value)
  }

  /// True if both read the same value. Neither expands anything: `$` and backquotes are literal.
  private static func isSame(_ value: Substring.UnicodeScalarView) -> Bool {
    guard let first = value.first else { return true }
    switch first {
    case "'":
      let end = value.dropFirst().firstIndex(of: "'")
      return end.map(value.index(after:)) == value.endIndex
    case "\"": return isSameQuoted(value.dropFirst())
    default:
      // takt takes this for a comment, systemd for a part of the value.
      let hasComment = zip(value, value.dropFirst()).contains {
        SourceLine.isBlank($0) && $1 == "#"
      }
      return !SourceLine.isBlank(first) && !hasComment
        && !value.contains { $0 == "'" || $0 == "\"" || $0 == "\\" }
    }
  }

  /// True if the text up to the double quote at its end has only escapes that both have.
  private static func isSameQuoted(_ text: Substring.UnicodeScalarView) -> Bool {
    var rest = text
    while let scalar = rest.popFirst() {
      if scalar == "\"" { return rest.isEmpty }
      guard scalar == "\\" else { continue }
      guard let escaped = rest.popFirst(), "\"\\$".unicodeScalars.contains(escaped) else {
        return false
      }
    }
    return false
  }
}
