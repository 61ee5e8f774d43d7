import TaktCore

/// A file that `EnvironmentFile` names, which systemd and takt read by rules of their own.
enum UnitEnvironmentFile {
  /// The first line that takt refuses or that means something else to it; nil when there is none.
  static func foreignLine(of bytes: [UInt8]) -> Int? {
    let source = SourceLines(file: "", bytes: bytes)
    // To systemd it is a part of the first name.
    if source.hasByteOrderMark { return 1 }
    var names: Set<Substring> = []
    for line in source.lines {
      guard line.isText, !line.scalars.contains(where: isControl) else { return line.number }
      guard let trimmed = line.trimmed else { continue }
      let text = line.text(trimmed)
      if text.hasPrefix("#") {
        // The next line is a comment, too.
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

  /// What a file sets that has no foreign line.
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

  /// Whether both read the same value. Neither expands anything, so that `$` and backquotes are
  /// characters like others.
  private static func isSame(_ value: Substring.UnicodeScalarView) -> Bool {
    guard let first = value.first else { return true }
    switch first {
    case "'":
      let end = value.dropFirst().firstIndex(of: "'")
      return end.map(value.index(after:)) == value.endIndex
    case "\"": return isSameQuoted(value.dropFirst())
    default:
      // A comment to takt, and a part of the value to systemd.
      let hasComment = zip(value, value.dropFirst()).contains {
        SourceLine.isBlank($0) && $1 == "#"
      }
      return !SourceLine.isBlank(first) && !hasComment
        && !value.contains { $0 == "'" || $0 == "\"" || $0 == "\\" }
    }
  }

  /// Whether the text up to the double quote at its end has only escapes that both have.
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
