import TaktCore

/// The lines `NAME=value` of an environment file. Nothing is expanded, and a value ends with its
/// line; mistakes are reported with their places in the file.
struct EnvironmentText {
  private let reporter: Reporter
  private(set) var values: [String: String] = [:]
  private var places: [String: YAMLMark] = [:]

  init(_ source: SourceText, reporter: Reporter) {
    self.reporter = reporter
    if let flaw = source.flaw {
      reporter.report(
        .notUTF8, at: source.mark(of: flaw), "the file is not UTF-8 text",
        hint: "save the file as UTF-8, without control characters")
    }
    let text = source.withText { String(decoding: $0, as: UTF8.self) }
    var number: UInt32 = 0
    for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
      number += 1
      var line = Array(line)[...]
      if line.last == "\r" { line.removeLast() }
      read(Line(scalars: line, number: number))
    }
  }

  private struct Line {
    var scalars: ArraySlice<Unicode.Scalar>
    var number: UInt32

    var mark: YAMLMark { mark(at: scalars.startIndex) }

    func mark(at index: Int) -> YAMLMark {
      YAMLMark(line: number, column: UInt32(clamping: index + 1))
    }

    static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

    mutating func skipBlanks() { scalars = scalars.drop(while: Self.isBlank) }

    /// True if only blanks remain, or a comment after a blank.
    var isOver: Bool {
      guard let first = scalars.first else { return true }
      let rest = scalars.drop(while: Self.isBlank)
      return Self.isBlank(first) && (rest.isEmpty || rest.first == "#")
    }
  }

  private mutating func read(_ line: Line) {
    var line = line
    line.skipBlanks()
    guard let first = line.scalars.first, first != "#" else { return }
    if line.scalars.starts(with: "export".unicodeScalars),
      line.scalars.dropFirst(6).first.map(Line.isBlank) == true
    {
      line.scalars = line.scalars.dropFirst(6)
      line.skipBlanks()
    }
    let nameMark = line.mark
    guard let name = name(&line) else { return }
    guard let value = value(&line) else { return }
    if let first = places[name] {
      reporter.report(
        .duplicateKey, at: nameMark,
        "duplicate variable '\(name)'; first set at "
          + reporter.source.place(of: first).location.description)
    }
    places[name] = nameMark
    values[name] = value
  }

  private func name(_ line: inout Line) -> String? {
    let mark = line.mark
    guard let equals = line.scalars.firstIndex(of: "=") else {
      reporter.report(
        .syntax, at: mark, "this line has no '='", hint: "write NAME=value")
      return nil
    }
    let name = String(String.UnicodeScalarView(line.scalars[..<equals]))
    guard name.isVariableName else {
      let isPadded = name.hasSuffix(" ") || name.hasSuffix("\t")
      reporter.report(
        .badName, at: mark, "no valid variable name before '='",
        hint: isPadded ? "remove the blank before '='" : VariableName.hint)
      return nil
    }
    guard reporter.check(variable: name, at: mark) else { return nil }
    line.scalars = line.scalars[(equals + 1)...]
    return name
  }

  private func value(_ line: inout Line) -> String? {
    if line.isOver { return "" }
    switch line.scalars.first {
    case " ", "\t":
      reporter.report(
        .syntax, at: line.mark, "unexpected blank after '='",
        hint: "remove it, or put the value in quotes")
      return nil
    case "'", "\"": return quoted(&line)
    default: return plain(line)
    }
  }

  private func plain(_ line: Line) -> String? {
    var line = line
    var value: [Unicode.Scalar] = []
    while !line.isOver, let scalar = line.scalars.popFirst() {
      if scalar == "'" || scalar == "\"" || scalar == "\\" {
        reporter.report(
          .syntax, at: line.mark(at: line.scalars.startIndex - 1),
          "'\(scalar)' in a value without quotes",
          hint: scalar == "'" ? "put the value in double quotes" : "put the value in single quotes")
        return nil
      }
      value.append(scalar)
    }
    return Self.text(value)
  }

  private func quoted(_ line: inout Line) -> String? {
    let mark = line.mark
    guard let quote = line.scalars.popFirst() else { return nil }
    var value: [Unicode.Scalar] = []
    var isClosed = false
    while !isClosed, let scalar = line.scalars.popFirst() {
      if scalar == quote {
        isClosed = true
      } else if scalar == "\\", quote == "\"" {
        guard let escaped = escape(&line) else { return nil }
        value.append(escaped)
      } else {
        value.append(scalar)
      }
    }
    guard isClosed else {
      reporter.report(
        .syntax, at: mark, "this quote is not closed on its line",
        hint: quote == "\"" ? "close it; write a line break as \\n" : "close it")
      return nil
    }
    guard line.isOver else {
      reporter.report(
        .syntax, at: line.mark, "unexpected text after the closing quote",
        hint: "put the whole value in quotes")
      return nil
    }
    return Self.text(value)
  }

  private func escape(_ line: inout Line) -> Unicode.Scalar? {
    let mark = line.mark(at: line.scalars.startIndex - 1)
    switch line.scalars.popFirst() {
    case "n": return "\n"
    case "t": return "\t"
    case .some(let scalar) where "\\\"$".unicodeScalars.contains(scalar): return scalar
    case let other:
      let shown = other.map(String.init) ?? ""
      reporter.report(
        .syntax, at: mark, "'\\\(shown)' is not an escape",
        hint: "the escapes are \\n, \\t, \\\\, \\\" and \\$")
      return nil
    }
  }

  private static func text(_ scalars: [Unicode.Scalar]) -> String {
    String(String.UnicodeScalarView(scalars))
  }
}

enum VariableName {
  static let hint = "use letters, digits and '_', not starting with a digit"
}

extension Reporter {
  /// Reports a variable that a job may not set, and then returns false.
  func check(variable name: String, at mark: YAMLMark) -> Bool {
    guard name.hasPrefix("TAKT_") else { return true }
    report(
      .badName, at: mark,
      "'\(name.shortened)' starts with TAKT_, which is reserved for takt's own variables",
      hint: "rename it")
    return false
  }
}
