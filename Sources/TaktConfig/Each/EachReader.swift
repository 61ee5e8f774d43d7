import TaktCore

struct EachReader {
  let reporter: Reporter
  let files: LineFiles
  /// The absolute folder of the jobs file.
  let folder: String
  let owner: KeyOwner

  /// Returns nil for a wrong value, which is reported.
  func values(of node: YAMLNode) -> EachValues? {
    let errorCount = reporter.errorCount
    guard case .mapping(let entries) = node.content else {
      if node.content != .invalid {
        reporter.report(
          .wrongType, at: node.mark, "'\(JobKey.forEach)' must be a mapping of variables to values",
          hint: "write \(JobKey.forEach): {NAME: [a, b]}", owner: owner)
      }
      return nil
    }
    var all = EachValues()
    for entry in entries where entry.key != EachValues.exclude {
      if let variable = variable(entry) { all.append(variable) }
    }
    if reporter.errorCount > errorCount { return nil }
    guard !all.variables.isEmpty else {
      reporter.report(
        .badValue, at: node.mark, "'\(JobKey.forEach)' has no variable",
        hint: "write \(JobKey.forEach): {NAME: [a, b]}", owner: owner)
      return nil
    }
    for entry in entries where entry.key == EachValues.exclude { exclude(entry, from: &all) }
    guard all.count != nil else {
      reportTooMany(at: node.mark)
      return nil
    }
    return reporter.errorCount > errorCount ? nil : all
  }

  private func reportTooMany(at mark: YAMLMark) {
    reporter.report(
      .outOfRange, at: mark,
      "'\(JobKey.forEach)' has more than \(EachValues.membersMax) combinations of values",
      hint: "split it into several jobs", owner: owner)
  }

  private func variable(_ entry: YAMLEntry) -> EachVariable? {
    guard Self.isName(entry.key) else {
      reporter.report(
        .badName, at: entry.keyMark, "'\(entry.key.shortened)' is not a valid name for a variable",
        hint: "use letters, digits, '_' and '-', starting with a letter", owner: owner)
      return nil
    }
    let values: [EachValue]?
    switch entry.value.content {
    case .sequence(let items) where items.count > EachValues.membersMax:
      reportTooMany(at: entry.value.mark)
      return nil
    case .mapping(let entries) where entries.count > EachValues.membersMax:
      reportTooMany(at: entry.value.mark)
      return nil
    case .invalid: return nil
    case .sequence(let items): values = self.values(of: items, entry)
    case .mapping(let entries): values = self.values(of: entries, entry)
    case .scalar:
      reporter.report(
        .wrongType, at: entry.value.mark,
        "'\(entry.key)' must be a list of values, a mapping, or {\(Key.file): PATH}",
        hint: "write \(entry.key): [a, b]", owner: owner)
      return nil
    }
    return values.map { EachVariable(name: entry.key, mark: entry.keyMark, values: $0) }
  }

  private func values(of items: [YAMLNode], _ entry: YAMLEntry) -> [EachValue]? {
    if items.isEmpty {
      reporter.report(
        .badValue, at: entry.value.mark, "the list of '\(entry.key)' is empty",
        hint: "add a value", owner: owner)
      return nil
    }
    let values = items.compactMap { item -> EachValue? in
      guard let scalar = scalar(item, of: entry.key) else { return nil }
      return value(scalar.text, scalar, at: item.mark, reporter)
    }
    checkUnique(values)
    return values
  }

  /// The keys of a mapping, each with its own texts, or the lines of a file.
  private func values(of entries: [YAMLEntry], _ entry: YAMLEntry) -> [EachValue]? {
    if entries.count == 1, entries[0].key == Key.file,
      case .scalar(let path) = entries[0].value.content
    {
      return lines(path, at: entries[0].value.mark, of: entry.key)
    }
    if entries.isEmpty {
      reporter.report(
        .badValue, at: entry.value.mark, "the mapping of '\(entry.key)' is empty",
        hint: "add a value", owner: owner)
      return nil
    }
    return entries.compactMap { item in
      let name = YAMLScalar(text: item.key, isPlain: true, tag: nil)
      guard var value = value(item.key, name, at: item.keyMark, reporter) else { return nil }
      guard case .mapping(let fields) = item.value.content else {
        if item.value.content != .invalid {
          reporter.report(
            .wrongType, at: item.value.mark,
            "'\(item.key.shortened)' must be a mapping of names to texts",
            hint:
              "write \(item.key.shortened): {NAME: text}, and {{each.\(entry.key).NAME}} for it",
            owner: owner)
        }
        return nil
      }
      for field in fields {
        guard let scalar = scalar(field.value, of: field.key),
          check(scalar.text, at: field.value.mark, reporter, mayBeEmpty: true)
        else { return nil }
        value.fields[field.key] = scalar
      }
      return value
    }
  }

  private func lines(_ path: YAMLScalar, at mark: YAMLMark, of name: String) -> [EachValue]? {
    guard !path.text.isEmpty, !path.isNull else {
      reporter.report(
        .badValue, at: mark, "'\(Key.file)' of '\(name)' has no path", hint: "write a path",
        owner: owner)
      return nil
    }
    let absolute = FilePath.absolute(FilePath.join(folder, path.text))
    guard let lines = files.lines(of: absolute, shown: path.text, at: mark, reporter: reporter)
    else { return nil }
    if lines.all.count > EachValues.membersMax {
      reportTooMany(at: mark)
      return nil
    }
    var values: [EachValue] = []
    for line in lines.all {
      let scalar = YAMLScalar(text: line.text, isPlain: true, tag: nil)
      if let value = value(line.text, scalar, at: line.mark, lines.reporter) {
        values.append(value)
      }
    }
    checkUnique(values)
    // Those mistakes are reported in the list's own file; the jobs file must fail, too.
    if lines.reporter.errorCount > 0 {
      reporter.report(
        .badValue, at: mark, "'\(path.text.shortened)' has mistakes", owner: owner)
      return nil
    }
    return values
  }

  private func scalar(_ node: YAMLNode, of name: String) -> YAMLScalar? {
    switch node.content {
    case .invalid: return nil
    case .scalar(let scalar) where !scalar.isNull: return scalar
    case .scalar, .sequence, .mapping:
      reporter.report(
        .wrongType, at: node.mark, "a value of '\(name.shortened)' must be a text",
        hint: "put it in quotes, or write a mapping of names to mappings", owner: owner)
      return nil
    }
  }

  private func value(
    _ name: String, _ scalar: YAMLScalar, at mark: YAMLMark, _ reporter: Reporter
  ) -> EachValue? {
    guard check(scalar.text, at: mark, reporter, mayBeEmpty: false) else { return nil }
    return EachValue(name: name, scalar: scalar, mark: mark, reporter: reporter)
  }

  private func check(
    _ text: String, at mark: YAMLMark, _ reporter: Reporter, mayBeEmpty: Bool
  ) -> Bool {
    if text.isEmpty, !mayBeEmpty {
      reporter.report(
        .badValue, at: mark, "a value is empty", hint: "write a text, or remove it", owner: owner)
    } else if text.utf8.count > EachValues.valueBytesMax {
      reporter.report(
        .outOfRange, at: mark, "a value has more than \(EachValues.valueBytesMax) bytes",
        owner: owner)
    } else if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f }) {
      reporter.report(
        .badValue, at: mark, "a value has a line break or another control character",
        hint: "keep such texts in files", owner: owner)
    } else if text.contains("{{") {
      reporter.report(
        .badValue, at: mark, "a value cannot have '{{'",
        hint: "write such a text in the job itself", owner: owner)
    } else {
      return true
    }
    return false
  }

  /// Reports duplicate values. The keys of a mapping are unique already.
  private func checkUnique(_ values: [EachValue]) {
    var first: [String: EachValue] = [:]
    for value in values {
      guard let known = first.updateValue(value, forKey: value.name) else { continue }
      let place = known.reporter.source.place(of: known.mark).location
      value.reporter.report(
        .badValue, at: value.mark,
        "\(value.reporter.quoted(value.name, or: "this line")) is a duplicate value; first used at "
          + "\(place)",
        hint: "remove one of them", owner: owner)
    }
  }

  private func exclude(_ entry: YAMLEntry, from all: inout EachValues) {
    guard case .sequence(let items) = entry.value.content else {
      if entry.value.content != .invalid { reportExclusion(at: entry.value.mark, all) }
      return
    }
    // The places of each variable's values, by name.
    var valuePlaces: [Int: [String: Int]] = [:]
    for item in items {
      guard case .mapping(let entries) = item.content, !entries.isEmpty else {
        if item.content != .invalid { reportExclusion(at: item.mark, all) }
        continue
      }
      var places: [(variable: Int, value: Int)] = []
      var isKnown = true
      for entry in entries {
        guard let place = all.variables.firstIndex(where: { $0.name == entry.key }) else {
          let nearest = NearestName.of(entry.key, among: all.variables.map(\.name))
          reporter.report(
            .unknownKey, at: entry.keyMark,
            "'\(JobKey.forEach)' has no variable '\(entry.key.shortened)'",
            hint: nearest.map { "did you mean '\($0)'?" }, owner: owner)
          isKnown = false
          continue
        }
        guard let scalar = scalar(entry.value, of: entry.key) else {
          isKnown = false
          continue
        }
        let names = all.variables[place].values
        let known =
          valuePlaces[place]
          ?? Dictionary(
            names.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        valuePlaces[place] = known
        guard let value = known[scalar.text] else {
          // A warning only: lines of a file come and go.
          reporter.report(
            .suspicious, severity: .warning, at: entry.value.mark,
            "'\(entry.key)' has no value '\(scalar.text.shortened)', so nothing is excluded",
            hint: NearestName.of(
              scalar.text, among: names.lazy.filter { $0.reporter === reporter }.map(\.name)
            ).map { "did you mean '\($0)'?" }, owner: owner)
          isKnown = false
          continue
        }
        places.append((place, value))
      }
      if isKnown { all.exclude(places) }
    }
  }

  private func reportExclusion(at mark: YAMLMark, _ all: EachValues) {
    let name = all.variables.first?.name ?? "NAME"
    reporter.report(
      .wrongType, at: mark,
      "'\(EachValues.exclude)' must be a list of mappings of variables to values",
      hint: "write \(EachValues.exclude): [{\(name): VALUE}]", owner: owner)
  }

  /// True for up to 64 letters, digits, `_` and `-`, starting with a letter.
  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 64 else { return false }
    return first.isLetter && text.utf8.allSatisfy { $0.isWordByte || $0 == 0x2d }
  }
}
