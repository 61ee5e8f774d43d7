import TaktCore

struct ParameterReader {
  let reporter: Reporter
  /// Absolute, the base of relative paths.
  let folder: String
  /// True for an action of a hook, which knows more of a run.
  let isOfHook: Bool
  /// The names of the job's secrets; nil in `defaults`, where they are not known yet.
  let secrets: [String]?

  /// Returns nil for a wrong value, which is reported.
  func value(_ node: YAMLNode, as schema: ParameterSchema, owner: KeyOwner) -> ParameterValue? {
    if case .scalar(let scalar) = node.content, scalar.isBlank {
      reporter.report(
        .wrongType, at: node.mark, "'\(schema.name)' has no value",
        hint: "write \(schema.kind.keyType.phrase)")
      return nil
    }
    let value = KeyReader(reporter: reporter).value(
      node, as: schema.kind.keyType, of: schema.name, owner: owner)
    return value.flatMap { parameter($0, schema.kind, at: node.mark) }
  }

  private func parameter(
    _ value: KeyValue, _ kind: ParameterSchema.Kind, at mark: YAMLMark
  ) -> ParameterValue? {
    switch (kind, value) {
    case (.path, .text(let path)):
      text(path, at: mark).map { .string(FilePath.absolute(FilePath.join(folder, $0))) }
    case (.choice, .text(let word)): .string(word)
    case (.url, .text(let text)): url(text, at: mark).map { .string($0) }
    case (_, .text(let text)): self.text(text, at: mark).map { .string($0) }
    case (_, .integer(let value)): .integer(value)
    case (_, .number(let value)), (_, .percent(let value)): .number(value)
    case (_, .boolean(let value)): .boolean(value)
    case (_, .duration(let value)): .duration(value)
    case (.list(let item), .list(let items)):
      .list(items.compactMap { parameter($0.value, item, at: $0.mark) })
    case (.map(let item), .map(let fields)):
      .map(
        Dictionary(
          fields.compactMap { field in
            field.value.flatMap { parameter($0, item, at: field.mark) }.map { (field.name, $0) }
          }, uniquingKeysWith: { first, _ in first }))
    default: nil
    }
  }

  /// A URL whose placeholders are known and change neither its scheme nor its host; otherwise nil,
  /// which is reported.
  private func url(_ url: String, at mark: YAMLMark) -> String? {
    guard let text = text(url, at: mark) else { return nil }
    guard let parts = try? Placeholders.parse(text), let name = Placeholders.misplaced(in: parts)
    else { return text }
    reporter.report(
      .badPlaceholder, at: mark,
      "'{{\(name.rawValue)}}' is not allowed in the scheme or the host of a URL",
      hint: "use it in the path or the query")
    return nil
  }

  /// A text with known placeholders; nil if one is unknown, which is reported.
  private func text(_ text: String, at mark: YAMLMark) -> String? {
    // Most texts have none.
    guard text.utf8.contains(UInt8(ascii: "{")) else { return text }
    do {
      for part in try Placeholders.parse(text) {
        switch part {
        case .name(let name, _) where name.isOfHooks && !isOfHook:
          reporter.report(
            .badPlaceholder, at: mark, "'{{\(name.rawValue)}}' is available only in hooks",
            hint: "use one of \(known)")
          return nil
        case .secret(let name, _) where secrets?.contains(name) == false:
          reporter.report(
            .badPlaceholder, at: mark, "the job has no secret '\(name.shortened)'",
            hint: NearestName.of(name, among: secrets ?? []).map {
              "did you mean '{{secret.\($0)}}'?"
            } ?? "add it under '\(JobKey.secrets)'")
          return nil
        case .text, .name, .secret: break
        }
      }
      return text
    } catch {
      let names = Placeholders.Name.allCases.filter { isOfHook || !$0.isOfHooks }
      reporter.report(
        error, at: mark, names: names.map(\.rawValue) + ["secret.NAME"],
        filters: Placeholders.Filter.allCases.map(\.rawValue))
    }
    return nil
  }

  private var known: String {
    Placeholders.Name.allCases.filter { isOfHook || !$0.isOfHooks }
      .map { "{{\($0.rawValue)}}" }.joined(separator: ", ") + ", {{secret.NAME}}"
  }
}

extension Reporter {
  /// Reports a placeholder that is not among these names and filters.
  func report(
    _ problem: Placeholders.Problem, at mark: YAMLMark, names: [String], filters: [String]
  ) {
    switch problem {
    case .unclosed:
      report(
        .badPlaceholder, at: mark, "unclosed placeholder: '{{' without '}}'",
        hint: "add '}}' after the name, or write '{{{{' for a literal '{{'")
    case .unknown(let word):
      let known = names.map { "{{\($0)}}" }.joined(separator: ", ")
      report(
        .badPlaceholder, at: mark, "there is no placeholder '{{\(word.shortened)}}'",
        hint: NearestName.of(word, among: names).map { "did you mean '{{\($0)}}'?" }
          ?? "use one of \(known), or write '{{{{' for a literal '{{'")
    case .unknownFilter(let word):
      report(
        .badPlaceholder, at: mark, "there is no filter '\(word.shortened)'",
        hint: NearestName.of(word, among: filters).map { "did you mean '\($0)'?" }
          ?? "use one of \(filters.joined(separator: ", "))")
    }
  }
}

extension ParameterSchema.Kind {
  var keyType: KeyType {
    switch self {
    case .string, .url: .text(allowsEmpty: true)
    case .choice(let words): .choice(words)
    case .path: .path
    case .integer(let range): .integer(range)
    case .number(let range): .number(range)
    case .boolean: .boolean
    case .duration(let least): .duration(least: least)
    case .size: .size(0...SizeText.maximumBytes)
    case .percent: .percent
    case .list(let kind): .oneOrMore(kind.keyType)
    case .map(let kind): .map(.text, kind.keyType)
    }
  }
}
