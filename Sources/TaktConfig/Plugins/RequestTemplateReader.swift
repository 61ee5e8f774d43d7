import TaktCore

/// Reads the `request` of a manifest; the result needs no shell, no program and no more checks.
struct RequestTemplateReader {
  let reporter: Reporter
  /// The manifest with everything but the request.
  let manifest: PluginManifest

  /// Returns nil for a wrong request, which is reported.
  func template(_ field: KeyFields.Field) -> RequestTemplate? {
    guard let fields = field.value?.object else { return nil }
    checkOptions(at: field.keyMark)
    let method = fields[PluginKey.method]?.value?.text ?? "POST"
    let body = body(fields, method)
    let headers = headers(fields[PluginKey.headers])
    guard let urlField = fields[PluginKey.url] else {
      // It may be misspelled.
      if !fields.hasUnknownKeys {
        reporter.report(
          .missingKey, at: field.keyMark, "'\(PluginKey.request)' has no '\(PluginKey.url)'",
          hint: "add it")
      }
      return nil
    }
    guard let urlText = urlField.value?.text, let url = url(urlText, at: urlField.mark) else {
      return nil
    }
    return RequestTemplate(
      method: method, urlText: urlText, url: url, headers: headers, body: body)
  }

  /// A parameter with the name of an option of the built-ins for requests sets that option.
  private func checkOptions(at mark: YAMLMark) {
    let types = [
      "timeout": "duration", "retries": "integer", "ca_file": "path", "insecure": "boolean",
    ]
    for schema in manifest.parameters.map(\.schema) {
      guard let type = types[schema.name], schema.kind.word != type else { continue }
      reporter.report(
        .wrongType, at: mark,
        "the parameter '\(schema.name)' of a request must be of type '\(type)'",
        hint: "it is an option of the request; rename the parameter if it is something else")
    }
  }

  // MARK: URL

  private func url(_ urlText: String, at mark: YAMLMark) -> RequestTemplate.Text? {
    guard let text = text(urlText, at: mark) else { return nil }
    checkReach(of: text, in: PluginKey.url, at: mark)
    // The value of a leading parameter has a host.
    var url = text.parts.first.map { if case .value(.parameter, _) = $0 { "http://h" } else { "" } }
    for (place, part) in text.parts.enumerated() {
      switch part {
      case .text(let text): url? += text
      case .value(.parameter(let name), _): checkIsGiven(name, at: mark, isStart: place == 0)
      case .value(let source, _) where url?.hasWholeHost != true:
        reporter.report(
          .badPlaceholder, at: mark,
          "'{{\(source.word)}}' is not allowed in the scheme or the host of a URL",
          hint: "use it in the path or the query")
        return nil
      case .value: break
      }
    }
    guard let url, url.hasPrefix("https://") || url.hasPrefix("http://") else {
      reporter.report(
        .badValue, at: mark, "the URL must start with http:// or https://, or with a parameter",
        hint: "write it in small letters, such as https://example.org/hook")
      return nil
    }
    return reporter.hasPossiblePort(url, at: mark) ? text : nil
  }

  /// Without a value, a request would go somewhere else.
  private func checkIsGiven(_ name: String, at mark: YAMLMark, isStart: Bool) {
    guard let schema = schema(named: name) else { return }
    if !schema.isRequired, schema.defaultValue == nil {
      reporter.report(
        .badPlaceholder, at: mark,
        "'\(PluginKey.url)' needs the parameter '\(name.shortened)', which may be left out",
        hint: "write '\(PluginKey.required): true' for the parameter, or give it a default")
    }
    if isStart, schema.kind != .string {
      reporter.report(
        .badPlaceholder, at: mark,
        "'\(PluginKey.url)' starts with the parameter '\(name.shortened)', which is no text",
        hint: "write '\(PluginKey.type): string' for the parameter")
    }
  }

  /// Anyone who can set such a parameter decides where secrets go.
  private func checkReach(of text: RequestTemplate.Text, in key: String, at mark: YAMLMark) {
    for name in Set(text.parameters).sorted() where schema(named: name)?.reach == .nothing {
      reporter.report(
        .badPlaceholder, at: mark,
        "'\(key)' uses the parameter '\(name.shortened)', which says that it reaches nothing",
        hint: "write '\(PluginKey.reaches): \(key == PluginKey.url ? "address" : "header")' for it")
    }
  }

  // MARK: Headers

  private func headers(_ field: KeyFields.Field?) -> [RequestTemplate.Field] {
    var names: Set<String> = []
    return (field?.value?.map ?? []).compactMap { entry in
      guard let value = entry.value?.text else { return nil }
      if !Self.isHeaderName(entry.name) {
        reporter.report(
          .badName, at: entry.nameMark, "'\(entry.name.shortened)' is not the name of a header",
          hint: "use letters, digits and '-'")
      } else if !names.insert(entry.name.lowercased()).inserted {
        reporter.report(
          .badName, at: entry.nameMark, "the header '\(entry.name.shortened)' is there twice",
          hint: "remove one of them")
      }
      guard let text = text(value, at: entry.mark) else { return nil }
      checkReach(of: text, in: PluginKey.headers, at: entry.mark)
      let isValue = text.parts.allSatisfy { part in
        guard case .text(let text) = part else { return true }
        return text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 9 }
      }
      if !isValue {
        reporter.report(
          .badValue, at: entry.mark, "the header '\(entry.name.shortened)' has a control character",
          hint: "write its value on one line")
      }
      return RequestTemplate.Field(entry.name, text)
    }
  }

  private static func isHeaderName(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        byte.isDigit || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
          || "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
  }

  // MARK: Body

  private func body(_ fields: KeyFields, _ method: String) -> RequestTemplate.Body? {
    let encode = fields[PluginKey.encode]
    guard let field = fields[PluginKey.body] else {
      if let encode {
        reporter.report(
          .conflictingKeys, at: encode.keyMark,
          "'\(encode.name)' has no effect without '\(PluginKey.body)'", hint: "remove it")
      }
      return nil
    }
    if method == "GET" {
      reporter.report(
        .conflictingKeys, at: field.keyMark, "a request with the method GET has no body",
        hint: "remove it, or write 'method: POST'")
    }
    guard case .node(let node) = field.value else { return nil }
    // A wrong word has been reported.
    if encode != nil, encode?.value == nil { return nil }
    let word = encode?.value?.text
    switch node.content {
    case .scalar(let scalar): return textBody(scalar.text, at: node.mark, word, encode)
    case .mapping(let entries) where word == RequestTemplate.Encoding.form.rawValue:
      return .form(entries.compactMap(formField))
    case .mapping, .sequence:
      if let encode, word != Self.json {
        reporter.report(
          .conflictingKeys, at: encode.mark,
          "a \(node.isMapping ? "mapping" : "list") cannot be written as '\(word ?? "")'",
          hint: node.isMapping ? "use 'json' or 'form'" : "use 'json'")
        return nil
      }
      return value(node).map { .json($0) }
    case .invalid: return nil
    }
  }

  private static let json = "json"

  private func textBody(
    _ bodyText: String, at mark: YAMLMark, _ word: String?, _ encode: KeyFields.Field?
  ) -> RequestTemplate.Body? {
    guard let text = text(bodyText, at: mark) else { return nil }
    if let encode, word == Self.json {
      reporter.report(
        .conflictingKeys, at: encode.mark, "a text cannot be written as JSON safely",
        hint: "write the body as a mapping, without quotes and braces of JSON")
      return nil
    }
    if let encoding = word.flatMap(RequestTemplate.Encoding.init) { return .text(text, encoding) }
    let hasValues = text.parts.contains { if case .value = $0 { true } else { false } }
    if hasValues {
      reporter.report(
        .missingKey, at: mark, "a text with placeholders needs '\(PluginKey.encode)'",
        hint: "add '\(PluginKey.encode): form', 'html' or 'none', or write the body as a mapping, "
          + "which becomes JSON")
    }
    return .text(text, .none)
  }

  private func formField(_ entry: YAMLEntry) -> RequestTemplate.Field? {
    guard case .scalar(let scalar) = entry.value.content, !scalar.isNull else {
      reporter.report(
        .wrongType, at: entry.value.mark, "a field of a form must be a text",
        hint: "use 'encode: \(Self.json)' for lists and mappings")
      return nil
    }
    return text(scalar.text, at: entry.value.mark).map { RequestTemplate.Field(entry.key, $0) }
  }

  private func value(_ node: YAMLNode) -> RequestTemplate.Value? {
    switch node.content {
    case .invalid: return nil
    case .sequence(let items): return .list(items.compactMap(value))
    case .mapping(let entries):
      return .object(
        entries.compactMap { entry in
          if entry.key.contains("{{") {
            reporter.report(
              .badPlaceholder, at: entry.keyMark, "placeholders are allowed only in values",
              hint: "write the name as it is")
          }
          return value(entry.value).map { RequestTemplate.Member(entry.key, $0) }
        })
    case .scalar(let scalar): return value(scalar, at: node.mark)
    }
  }

  private func value(_ scalar: YAMLScalar, at mark: YAMLMark) -> RequestTemplate.Value? {
    switch scalar.kind {
    case .string: return text(scalar.text, at: mark).map { .text($0) }
    case .boolean(let flag): return .literal(flag ? "true" : "false")
    case .integer(let number?): return .literal(String(number))
    case .float:
      if let number = Double(scalar.text), number.isFinite { return .literal("\(number)") }
    case .null where !scalar.isBlank: return .literal("null")
    case .null, .integer: break
    }
    reporter.report(
      .wrongType, at: mark,
      scalar.isBlank ? "there is no value" : "JSON has no such number",
      hint: "put it in quotes if it is a text")
    return nil
  }

  // MARK: Texts

  private func schema(named name: String) -> ParameterSchema? {
    manifest.parameters.first { $0.schema.name == name }?.schema
  }

  /// A text with known placeholders; nil if one is unknown, which is reported.
  private func text(_ text: String, at mark: YAMLMark) -> RequestTemplate.Text? {
    let isOfHooks = manifest.kind == .notifier
    let parameters = manifest.parameters.map { "param.\($0.schema.name)" }
    let names =
      ["title", "message"] + parameters
      + Placeholders.Name.allCases.filter { isOfHooks || !$0.isOfHooks }.map(\.rawValue)
    let parsed: RequestTemplate.Text
    do throws(Placeholders.Problem) {
      parsed = try RequestTemplate.Text(parsing: text)
    } catch {
      if case .unknown(let word) = error, word.hasPrefix("secret.") {
        reporter.report(
          .badPlaceholder, at: mark, "a manifest cannot use secrets, which are those of a job",
          hint: "add a parameter with 'secret: true', and use '{{param.NAME}}'")
      } else {
        let filters = Placeholders.Filter.allCases.map(\.rawValue) + ["max(1000)"]
        reporter.report(error, at: mark, names: names, filters: filters)
      }
      return nil
    }
    for case .value(let source, _) in parsed.parts {
      switch source {
      case .parameter(let name) where schema(named: name) == nil:
        reporter.report(.unknown("param.\(name)"), at: mark, names: names, filters: [])
        return nil
      case .fact(let name) where name.isOfHooks && !isOfHooks:
        reporter.report(
          .badPlaceholder, at: mark, "'{{\(name.rawValue)}}' is available only in hooks",
          hint: "write 'kind: notifier', or use another placeholder")
        return nil
      case .parameter, .fact, .title, .message: break
      }
    }
    return parsed
  }
}

extension YAMLNode {
  fileprivate var isMapping: Bool { if case .mapping = content { true } else { false } }
}

extension RequestTemplate.Source {
  fileprivate var word: String {
    switch self {
    case .fact(let name): name.rawValue
    case .title: "title"
    case .message: "message"
    case .parameter(let name): "param.\(name)"
    }
  }
}
