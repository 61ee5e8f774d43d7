import TaktCore

/// A plugin without a program: takt fills in the template of its manifest and sends the request.
struct PluginRequest: LongBuiltin {
  private let manifest: PluginManifest
  private let template: RequestTemplate

  init(_ manifest: PluginManifest, _ template: RequestTemplate) {
    self.manifest = manifest
    self.template = template
  }

  var kind: BuiltinKind { .network }
  var name: String { manifest.name }
  var summary: String { manifest.summary ?? "" }
  var parameters: [ParameterSchema] { manifest.parameters.map(\.schema) }
  var reasons: [BuiltinReason] { Post.reasons }

  func traits(with parameters: Parameters) -> ActionTraits { [] }

  func run(_ call: BuiltinCall) -> BuiltinEnd {
    let filling = RequestFilling(call)
    guard let url = filling.url(template.url) else {
      call.log("a placeholder would change the scheme or the host of the URL", .error)
      return .failed("url")
    }
    var post = Post(url: url, method: template.method)
    for header in template.headers {
      post.headers[header.name] = filling.header(header.text)
    }
    if let body = template.body {
      post.body = filling.body(body)
      if !template.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
        post.contentType = body.contentType
      }
    }
    do throws(NetworkFailure) {
      _ = try post.send(call)
      return .done
    } catch {
      return .failed(error.reason)
    }
  }
}

extension RequestTemplate.Body {
  fileprivate var contentType: String {
    switch self {
    case .json: "application/json; charset=utf-8"
    case .form, .text(_, .form): "application/x-www-form-urlencoded"
    case .text(_, .html): "text/html; charset=utf-8"
    case .text(_, .none): "text/plain; charset=utf-8"
    }
  }
}

/// Fills in the template for one run.
private struct RequestFilling {
  private let facts: [Placeholders.Name: String]
  private let message: RunMessage
  private let parameters: Parameters

  init(_ call: BuiltinCall) {
    facts = ParameterExpansion.values(of: call.request)
    message = RunMessage(call.request)
    parameters = call.parameters
  }

  private func text(of source: RequestTemplate.Source) -> String {
    switch source {
    case .fact(let name): facts[name] ?? ""
    case .title: message.title
    case .message: message.plain
    case .parameter(let name): parameters[name].map { PluginValue($0).text } ?? ""
    }
  }

  private func value(
    _ source: RequestTemplate.Source, _ filters: [RequestTemplate.Filter]
  ) -> String {
    filters.reduce(text(of: source)) { text, filter in
      switch filter {
      case .escape(let filter): [filter].applied(to: text)
      case .max(let count): text.cut(unitsMax: count)
      }
    }
  }

  private func filled(
    _ text: RequestTemplate.Text, _ encode: (String) -> String = { $0 }
  ) -> String {
    text.parts.reduce(into: "") { whole, part in
      switch part {
      case .text(let text): whole += text
      case .value(let source, let filters): whole += encode(value(source, filters))
      }
    }
  }

  /// The URL; nil if a fact would change its scheme or its host.
  ///
  /// A parameter at its start is the start of the URL. Every other value is encoded, so that it
  /// stays one part of the path or one value of the query.
  func url(_ text: RequestTemplate.Text) -> String? {
    var url = ""
    for (place, part) in text.parts.enumerated() {
      switch part {
      case .text(let text):
        // A server's URL may end in the slash with which the path starts.
        url +=
          place == 1 && url.hasSuffix("/") && text.hasPrefix("/") ? text.dropFirst() : text[...]
      case .value(.parameter(let name), let filters) where place == 0:
        url = value(.parameter(name), filters)
      case .value(let source, let filters):
        if case .parameter = source {} else if !url.hasWholeHost { return nil }
        let value = value(source, filters)
        url += filters.last == .escape(.url) ? value : value.percentEncodedPart
      }
    }
    return url
  }

  /// The value of a header, without line ends; nil if a parameter in it has no value.
  func header(_ text: RequestTemplate.Text) -> String? {
    guard text.parameters.allSatisfy({ parameters[$0] != nil }) else { return nil }
    return filled(text) { value in
      String(
        String.UnicodeScalarView(
          value.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? " " : $0 }))
    }
  }

  func body(_ body: RequestTemplate.Body) -> String {
    switch body {
    case .json(let value): document(value)?.text ?? "null"
    case .form(let fields):
      fields.filter { !isLeftOut($0.text) }.map {
        "\($0.name.percentEncodedPart)=\(filled($0.text).percentEncodedPart)"
      }.joined(separator: "&")
    case .text(let text, .none): filled(text)
    case .text(let text, .form): filled(text, \.percentEncodedPart)
    case .text(let text, .html): filled(text) { [Placeholders.Filter.html].applied(to: $0) }
    }
  }

  private func isLeftOut(_ text: RequestTemplate.Text) -> Bool {
    text.loneParameter.map { parameters[$0] == nil } ?? false
  }

  /// The JSON of a value; nil for a parameter alone without a value.
  private func document(_ value: RequestTemplate.Value) -> JSONDocument? {
    switch value {
    case .literal(let text): return .json(text)
    case .list(let items): return .list(items.compactMap(document))
    case .object(let members):
      return .object(
        members.compactMap { member in document(member.value).map { (member.name, $0) } })
    case .text(let text):
      if isLeftOut(text) { return nil }
      guard let name = text.loneParameter, let value = parameters[name] else {
        return .text(filled(text))
      }
      // Alone, a number stays a number.
      if case .string(let text) = value { return .text(text) }
      return .json(PluginValue(value).text)
    }
  }
}
