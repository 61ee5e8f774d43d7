import TaktCore

/// A job with `for_each`, written once and expanded for each combination of values.
struct EachTemplate {
  struct Member {
    var name: String
    var nameMark: YAMLMark
    var entries: [YAMLEntry]
    /// Such as `tenant acme, region eu`.
    var words: String
  }

  /// A node with its texts in pieces; a node without references is kept as it is.
  fileprivate indirect enum Piece {
    case fixed(YAMLNode)
    case text(EachText, YAMLScalar, YAMLMark)
    case sequence([Piece], YAMLMark)
    case mapping([(entry: YAMLEntry, piece: Piece)], YAMLMark)
  }

  private let reporter: Reporter
  private let owner: KeyOwner
  private let key: YAMLKey
  private let values: EachValues
  private let budget: EachBudget
  private let name: (text: EachText?, scalar: YAMLScalar, mark: YAMLMark)?
  private let pieces: [(entry: YAMLEntry, piece: Piece)]
  /// Nil for a wrong definition, which is reported.
  ///
  /// - Parameter defaultShell: the `shell` of `defaults`; nil for none.
  init?(
    _ key: YAMLKey, _ entries: [YAMLEntry], values: EachValues, budget: EachBudget,
    defaultShell: YAMLNode?, reporter: Reporter, owner: KeyOwner
  ) {
    let errorCount = reporter.errorCount
    self.budget = budget
    (self.reporter, self.owner, self.key, self.values) = (reporter, owner, key, values)
    let own = entries.first { $0.key == JobKey.shell.name }?.value
    let readers = EachReaders(shell: own ?? defaultShell)
    var name: (text: EachText?, scalar: YAMLScalar, mark: YAMLMark)?
    if let entry = entries.first(where: { $0.key == JobKey.memberName.name }) {
      guard case .scalar(let scalar) = entry.value.content, !scalar.isNull else {
        if entry.value.content != .invalid {
          reporter.report(
            .wrongType, at: entry.value.mark, "'\(JobKey.memberName)' must be a text",
            hint:
              "write \(JobKey.memberName): \"\(key.text.shortened).{{each.\(values.variables[0].name)}}\"",
            owner: owner)
        }
        return nil
      }
      name = (EachText(scalar.text, for: .takt), scalar, entry.value.mark)
    }
    self.name = name
    pieces = entries.filter {
      $0.key != JobKey.forEach.name && $0.key != JobKey.memberName.name
    }.map { ($0, Self.piece($0.value, readers.reading($0.key))) }
    if let name, let text = name.text { check(text, at: name.mark) }
    for piece in pieces { check(piece.piece) }
    if reporter.errorCount > errorCount { return nil }
  }

  /// Calls `body` with each job, in order, until the files of the load have made too many.
  func members(_ body: (Member) -> Void) {
    for places in values.combinations() {
      // Readers of a message may not be allowed to read a file of values.
      let isOver = reporter.concealing(concealment(of: places)) { !makeMember(places, body) }
      if isOver { return }
    }
  }

  /// Returns true if there is room for more.
  private func makeMember(_ places: [Int], _ body: (Member) -> Void) -> Bool {
    let words = zip(values.variables, places).map { variable, place in
      "\(variable.name) \(variable.values[place].name.shortened)"
    }.joined(separator: ", ")
    guard let (text, mark) = memberName(places, words) else { return true }
    let member = Member(
      name: text, nameMark: mark,
      entries: pieces.map { piece in
        if case .fixed = piece.piece { return piece.entry }
        var entry = piece.entry
        entry.value = node(piece.piece, places)
        return entry
      }, words: words)
    budget.spendMember()
    // Checked before the job is used: its texts may be cut short.
    if let excess = budget.excess {
      reporter.report(
        .outOfRange, at: key.mark, excess, hint: "split the file, and run several daemons",
        owner: owner)
      return false
    }
    body(member)
    return true
  }

  /// The words for a file's value in messages; nil if all values are from the jobs file.
  private func concealment(of places: [Int]) -> Concealment? {
    for (variable, place) in zip(values.variables, places) {
      let value = variable.values[place]
      if value.reporter === reporter { continue }
      return .line("line \(value.mark.line) of '\(value.reporter.source.file.shortened)'")
    }
    return nil
  }

  /// Returns nil for an invalid name, which is reported.
  private func memberName(_ places: [Int], _ words: String) -> (String, YAMLMark)? {
    let chosen = zip(values.variables, places).map { $0.values[$1] }
    let text =
      name.map { name in name.text.map { fill($0, places) } ?? name.scalar.text }
      ?? ([key.text] + chosen.map(\.name)).joined(separator: ".")
    if JobName(text) != nil { return (text, name?.mark ?? key.mark) }
    // A value that does not fit is reported at its own place.
    let bad = name == nil ? chosen.first { JobName("a" + $0.name) == nil } : nil
    (bad?.reporter ?? reporter).report(
      .badName, at: bad?.mark ?? name?.mark ?? key.mark,
      bad.map { "\($0.reporter.quoted($0.name, or: "this line")) cannot be part of a job's name" }
        ?? "'\(text.shortened)', made of \(words), is not a valid job name",
      hint: bad == nil
        ? KeyReader.nameHint
        : "write a mapping of plain names to mappings, or set '\(JobKey.memberName)'", owner: owner)
    if let bad, bad.reporter !== reporter {
      reporter.report(
        .badName, at: key.mark,
        "a line of '\(bad.reporter.source.file)' cannot be part of a job's name",
        hint: "set '\(JobKey.memberName)'", owner: owner)
    }
    return nil
  }

  private static func piece(_ node: YAMLNode, _ readers: EachReaders) -> Piece {
    switch node.content {
    case .invalid: return .fixed(node)
    case .scalar(let scalar):
      guard let text = EachText(scalar.text, for: readers.reader) else { return .fixed(node) }
      return .text(text, scalar, node.mark)
    case .sequence(let items):
      var inner = readers.readingItems()
      let pieces = items.map { item in
        defer { inner.pass(item) }
        return piece(item, inner)
      }
      return pieces.allSatisfy(\.isFixed) ? .fixed(node) : .sequence(pieces, node.mark)
    case .mapping(let entries):
      let pieces = entries.map { entry in
        (entry: entry, piece: piece(entry.value, readers.reading(entry.key)))
      }
      return pieces.allSatisfy(\.piece.isFixed) ? .fixed(node) : .mapping(pieces, node.mark)
    }
  }

  private func node(_ piece: Piece, _ places: [Int]) -> YAMLNode {
    switch piece {
    case .fixed(let node): return node
    case .text(let text, let scalar, let mark):
      return YAMLNode(mark: mark, content: .scalar(fill(text, scalar, at: mark, places)))
    case .sequence(let items, let mark):
      return YAMLNode(mark: mark, content: .sequence(items.map { node($0, places) }))
    case .mapping(let pieces, let mark):
      return YAMLNode(
        mark: mark,
        content: .mapping(
          pieces.map { piece in
            var entry = piece.entry
            entry.value = node(piece.piece, places)
            return entry
          }))
    }
  }

  private func value(_ reference: EachText.Reference, _ places: [Int]) -> YAMLScalar? {
    guard let variable = values.variables.firstIndex(where: { $0.name == reference.variable })
    else { return nil }
    let value = values.variables[variable].values[places[variable]]
    guard let field = reference.field else { return value.scalar }
    return value.fields[field]
  }

  private func fill(_ text: EachText, _ places: [Int]) -> String {
    joined(text, places) {}
  }

  /// A text with its values filled in, as far as there is room.
  ///
  /// - Parameter reportBraces: called if a value and its neighbors form `{{`, which an action would
  ///   replace.
  private func joined(_ text: EachText, _ places: [Int], reportBraces: () -> Void) -> String {
    var whole = ""
    for part in text.parts {
      let next =
        switch part {
        case .text(let text): text
        case .reference(let reference, let place):
          place.text(of: value(reference, places)?.text ?? "")
        }
      guard budget.spend(next) else { break }
      if text.reader == .action, whole.utf8.last == UInt8(ascii: "{"),
        next.utf8.first == UInt8(ascii: "{")
      {
        reportBraces()
      }
      whole += next
    }
    return whole
  }

  /// A text with its values filled in, quoted if a shell reads it.
  private func fill(
    _ text: EachText, _ scalar: YAMLScalar, at mark: YAMLMark, _ places: [Int]
  ) -> YAMLScalar {
    var filled = scalar
    if case .reference(let reference, .plain)? = text.parts.first, text.isReferenceAlone {
      // `"{{each.port}}"` is a number if the value is one.
      return value(reference, places) ?? scalar
    }
    filled.text = joined(text, places) {
      reporter.report(
        .badPlaceholder, at: mark, "a value with '{' makes '{{' of what is beside it",
        hint: "put a blank between them", owner: owner)
    }
    return filled
  }

  private func check(_ piece: Piece) {
    switch piece {
    case .fixed: break
    case .text(let text, _, let mark): check(text, at: mark)
    case .sequence(let items, _): for item in items { check(item) }
    case .mapping(let pieces, _): for piece in pieces { check(piece.piece) }
    }
  }

  private func check(_ text: EachText, at mark: YAMLMark) {
    if let word = text.misspelled {
      reporter.report(
        .badPlaceholder, at: mark, "'\(word.shortened)' is not a value of '\(JobKey.forEach)'",
        hint: "write {{each.\(values.variables[0].name)}}, or '{{{{' for a literal '{{'",
        owner: owner)
    }
    for case .reference(let reference, let place) in text.parts {
      check(reference, at: mark)
      guard case .refused(let reason) = place else { continue }
      reporter.report(
        .badPlaceholder, at: mark,
        "'\(reference.words)' is \(reason), where a shell could run its value",
        hint:
          "write it as a word of its own, or put it in a variable, such as \(JobKey.environment): "
          + "{V: \"\(reference.words)\"}, and write \"$V\"", owner: owner)
    }
  }

  private func check(_ reference: EachText.Reference, at mark: YAMLMark) {
    guard let variable = values.variables.first(where: { $0.name == reference.variable }) else {
      let names = values.variables.map(\.name)
      reporter.report(
        .badPlaceholder, at: mark,
        reference.variable.isEmpty
          ? "'{{each}}' names no variable"
          : "'\(JobKey.forEach)' has no variable '\(reference.variable.shortened)'",
        hint: NearestName.of(reference.variable, among: names).map {
          "did you mean '{{each.\($0)}}'?"
        }
          ?? "write {{each.\(names[0])}}", owner: owner)
      return
    }
    guard let field = reference.field,
      let value = variable.values.first(where: { $0.fields[field] == nil })
    else { return }
    reporter.report(
      .badPlaceholder, at: mark,
      value.fields.isEmpty
        ? "the values of '\(variable.name)' are not mappings, so '\(reference.words)' means nothing"
        : "'\(value.name.shortened)' of '\(variable.name)' has no '\(field.shortened)'",
      hint: value.fields.isEmpty
        ? "write {{each.\(variable.name)}}"
        : NearestName.of(field, among: value.fields.keys).map { "did you mean '\($0)'?" },
      owner: owner)
  }
}

extension EachTemplate {
  /// The first reference to a value in a node without `for_each`; nil for none.
  static func strayReference(in node: YAMLNode) -> (mark: YAMLMark, words: String)? {
    switch node.content {
    case .invalid: return nil
    case .scalar(let scalar):
      guard let text = EachText(scalar.text, for: .takt) else { return nil }
      for case .reference(let reference, _) in text.parts { return (node.mark, reference.words) }
      return nil
    case .sequence(let items): return items.lazy.compactMap(strayReference).first
    case .mapping(let entries):
      return entries.lazy.compactMap { strayReference(in: $0.value) }.first
    }
  }
}

extension EachTemplate {
  /// The entries of a job without `for_each`; `{{{{each.v}}` becomes the text `{{each.v}}`.
  ///
  /// Actions do the same in their own parameters.
  static func unescaped(_ entries: [YAMLEntry]) -> [YAMLEntry] {
    entries.map { entry in
      var entry = entry
      entry.value = unescaped(entry.value, EachReaders(shell: nil).reading(entry.key))
      return entry
    }
  }

  private static func unescaped(_ node: YAMLNode, _ readers: EachReaders) -> YAMLNode {
    var node = node
    switch node.content {
    case .invalid: break
    case .scalar(var scalar):
      guard readers.reader != .action, EachText.mayBe(in: scalar.text) else { break }
      scalar.text = EachBraces.unescaped(scalar.text)
      node.content = .scalar(scalar)
    case .sequence(let items):
      let inner = readers.readingItems()
      node.content = .sequence(items.map { unescaped($0, inner) })
    case .mapping(let entries):
      node.content = .mapping(
        entries.map { entry in
          var entry = entry
          entry.value = unescaped(entry.value, readers.reading(entry.key))
          return entry
        })
    }
    return node
  }
}

extension EachTemplate.Piece {
  fileprivate var isFixed: Bool { if case .fixed = self { true } else { false } }
}
