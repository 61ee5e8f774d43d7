import TaktCore
import TaktSystem

/// Sets keys of jobs in the text of a jobs file, and keeps everything else: comments, order,
/// quotes.
///
/// The places are from the YAML tree. Anything unusual at a place is refused: a wrong edit would be
/// worse than none.
package struct JobsFileEditor {
  /// The reason why a key cannot be set here.
  package enum Refusal: Error, Hashable, Sendable {
    /// The file does not define the job itself.
    case notHere
    case family
    /// Its keys come from an anchor, or are not below its name.
    case indirect
    /// The present value is no single word or text in its line.
    case intricate(key: String)
    case unreadable

    package var sentence: String {
      switch self {
      case .notHere:
        "the job is not defined in this file: it is in an included file, or made by 'for_each'"
      case .family: "the job has 'for_each'; change the definition by hand"
      case .indirect: "the job is written with an anchor, an alias or a tag; change it by hand"
      case .intricate(let key):
        "the value of '\(key)' is a list, a mapping, in several lines or behind an anchor; change it by hand"
      case .unreadable: "the file cannot be read as YAML"
      }
    }
  }

  /// A change at one place: a text replaces `replaced` code points of a line, or new lines follow.
  private struct Edit {
    var line: Int
    var column: Int
    var replaced: Int
    var text: String
    var isLine: Bool
  }

  /// The lines with their ends.
  private let lines: [String]
  private let root: YAMLNode?
  private var edits: [Edit] = []

  /// Every edit of a text that is not YAML is refused.
  package init(_ text: [UInt8]) {
    var lines: [String] = []
    var line: [UInt8] = []
    for byte in text {
      line.append(byte)
      if byte == UInt8(ascii: "\n") {
        lines.append(String(decoding: line, as: UTF8.self))
        line = []
      }
    }
    if !line.isEmpty { lines.append(String(decoding: line, as: UTF8.self)) }
    self.lines = lines
    let source = SourceText(file: "", bytes: FileBytes(text))
    let reporter = Reporter(source)
    let composer = YAMLComposer(source, limits: YAMLLimits(), reporter: reporter)
    root = try? Self.root(composer)
  }

  private static func root(_ composer: YAMLComposer) throws(YAMLStop) -> YAMLNode {
    try composer.openDocument()
    return try composer.node()
  }

  /// Sets a key of a job, or one in the mapping of a key, with others in the same mapping.
  package mutating func set(
    _ path: [String], of job: String, to value: String,
    beside others: [(key: String, value: String)] = []
  ) throws(Refusal) {
    guard let root else { throw .unreadable }
    guard case .mapping(let jobs)? = root["jobs"]?.content,
      let entry = jobs.first(where: { $0.key == job })
    else { throw .notHere }
    guard case .mapping(let keys) = entry.value.content, let key = path.first else {
      throw .indirect
    }
    if keys.contains(where: { $0.key == JobKey.forEach.name }) { throw .family }
    // Keys of a merge key are elsewhere: a key of the job's own precedes it.
    let own = keys.first { $0.key == key && isWithin($0, entry) }
    guard path.count > 1 else {
      if let own { return try replace(own, by: value) }
      return try insert(["\(key): \(value)"], into: entry)
    }
    let inner = [(key: path[1], value: value)] + others
    guard let own else {
      let texts = inner.map { "\($0.key): \($0.value)" }
      return try insert(["\(key): {\(texts.joined(separator: ", "))}"], into: entry)
    }
    guard case .mapping(let entries) = own.value.content else { throw .intricate(key: key) }
    var missing: [String] = []
    for (name, value) in inner {
      if let present = entries.first(where: { $0.key == name && isWithin($0, own) }) {
        try replace(present, by: value)
      } else {
        missing.append("\(name): \(value)")
      }
    }
    if !missing.isEmpty { try insert(missing, into: own) }
  }

  package var text: String {
    var lines = lines
    // From the end, so that earlier places stay valid; new lines at a place come last.
    for edit in edits.sorted(by: { ($0.line, $0.column) > ($1.line, $1.column) }) {
      guard lines.indices.contains(edit.line) else { continue }
      if edit.isLine {
        if lines[edit.line].utf8.last != UInt8(ascii: "\n") { lines[edit.line] += "\n" }
        // "\r\n" is one character.
        let end = lines[edit.line].hasSuffix("\r\n") ? "\r\n" : "\n"
        lines.insert(edit.text.replacing("\n", with: end) + end, at: edit.line + 1)
      } else {
        var scalars = Array(lines[edit.line].unicodeScalars)
        scalars.replaceSubrange(
          edit.column..<edit.column + edit.replaced, with: edit.text.unicodeScalars)
        lines[edit.line] = String(String.UnicodeScalarView(scalars))
      }
    }
    return lines.joined()
  }

  /// True if a key is after its parent key, at the place of its mark.
  private func isWithin(_ entry: YAMLEntry, _ outer: YAMLEntry) -> Bool {
    entry.keyMark > outer.keyMark && entry.keyMark >= outer.value.mark
      && keyEnd(of: entry) != nil
  }

  private func remainder(from mark: YAMLMark) -> [Unicode.Scalar]? {
    let line = Int(mark.line) - 1
    guard lines.indices.contains(line), mark.column > 0 else { return nil }
    let scalars = lines[line].unicodeScalars.filter { $0 != "\r" && $0 != "\n" }
    guard scalars.count >= Int(mark.column) - 1 else { return nil }
    return Array(scalars.dropFirst(Int(mark.column) - 1))
  }

  /// The length in code points of a text at a place, with its quotes; nil if another text is there.
  private func length(of text: String, at mark: YAMLMark) -> Int? {
    guard let rest = remainder(from: mark) else { return nil }
    let scalars = Array(text.unicodeScalars)
    if !scalars.isEmpty, rest.starts(with: scalars) { return scalars.count }
    guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
    return rest.starts(with: [quote] + scalars + [quote]) ? scalars.count + 2 : nil
  }

  /// The end of a key with its colon, in its line; nil for an unusual form.
  private func keyEnd(of entry: YAMLEntry) -> Int? {
    guard let length = length(of: entry.key, at: entry.keyMark),
      let rest = remainder(from: entry.keyMark)
    else { return nil }
    let behind = rest.dropFirst(length)
    let blanks = behind.prefix { $0 == " " }.count
    return behind.dropFirst(blanks).first == ":" ? length + blanks + 1 : nil
  }

  private mutating func replace(_ entry: YAMLEntry, by value: String) throws(Refusal) {
    let mark = entry.value.mark
    guard case .scalar(let scalar) = entry.value.content, mark.line == entry.keyMark.line,
      let end = keyEnd(of: entry), let length = length(of: scalar.text, at: mark),
      let between = remainder(from: entry.keyMark)?.dropFirst(end),
      // Refuses an anchor or a tag in between.
      between.prefix(Int(mark.column) - Int(entry.keyMark.column) - end).allSatisfy({ $0 == " " }),
      Int(mark.column) > Int(entry.keyMark.column)
    else { throw .intricate(key: entry.key) }
    edits.append(
      Edit(
        line: Int(mark.line) - 1, column: Int(mark.column) - 1, replaced: length, text: value,
        isLine: false))
  }

  /// Puts keys in front of the others of a mapping.
  private mutating func insert(_ texts: [String], into entry: YAMLEntry) throws(Refusal) {
    guard let end = keyEnd(of: entry), let rest = remainder(from: entry.keyMark)?.dropFirst(end),
      case .mapping(let keys) = entry.value.content
    else { throw .indirect }
    let words = rest.drop { $0 == " " }
    let line = Int(entry.keyMark.line) - 1
    if words.first == "{" {
      let start = Int(entry.keyMark.column) - 1 + end
      let column = start + rest.count - words.count + 1
      let isEmpty = words.dropFirst().drop { $0 == " " }.first == "}"
      let text = texts.joined(separator: ", ")
      edits.append(
        Edit(
          line: line, column: column, replaced: 0, text: isEmpty ? text : text + ", ",
          isLine: false))
      return
    }
    guard words.isEmpty || words.first == "#",
      let first = keys.first(where: { isWithin($0, entry) }),
      first.keyMark.line > entry.keyMark.line, first.keyMark.column > entry.keyMark.column
    else { throw .indirect }
    let indent = String(repeating: " ", count: Int(first.keyMark.column) - 1)
    let text = texts.map { indent + $0 }.joined(separator: "\n")
    edits.append(Edit(line: line, column: 0, replaced: 0, text: text, isLine: true))
  }
}
