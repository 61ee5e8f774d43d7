/// The HTTP request of a plugin that has no program, as its manifest describes it, checked.
///
/// A value is encoded by the place that it is put into, so that no value can end that place: in JSON a
/// text stays one text, in a form one field, in a URL one part of the path or one value of the query.
package struct RequestTemplate: Hashable, Sendable {
  package static let methods = ["POST", "PUT", "PATCH", "DELETE", "GET"]

  package var method: String
  package var urlText: String
  package var url: Text
  package var headers: [Field]
  package var body: Body?

  package init(
    method: String, urlText: String, url: Text, headers: [Field], body: Body?
  ) {
    self.method = method
    self.urlText = urlText
    self.url = url
    self.headers = headers
    self.body = body
  }

  /// A header, or a field of a form.
  package struct Field: Hashable, Sendable {
    package var name: String
    package var text: Text

    package init(_ name: String, _ text: Text) {
      self.name = name
      self.text = text
    }
  }

  package enum Body: Hashable, Sendable {
    case json(Value)
    /// `application/x-www-form-urlencoded`.
    case form([Field])
    case text(Text, Encoding)
  }

  /// The encoding of the values in a text.
  package enum Encoding: String, CaseIterable, Hashable, Sendable {
    case form, html, none
  }

  package indirect enum Value: Hashable, Sendable {
    case text(Text)
    /// A number, a truth value or null, as JSON writes it.
    case literal(String)
    case list([Value])
    case object([Member])
  }

  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: Value

    package init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  package struct Text: Hashable, Sendable {
    package var parts: [Part]

    package var parameters: [String] {
      parts.compactMap { if case .value(.parameter(let name), _) = $0 { name } else { nil } }
    }

    /// The parameter, if the text consists of it alone; nil for any other text.
    package var loneParameter: String? {
      if case .value(.parameter(let name), let filters) = parts.first, filters.isEmpty,
        parts.count == 1
      {
        name
      } else {
        nil
      }
    }
  }

  package enum Part: Hashable, Sendable {
    case text(String)
    case value(Source, [Filter])
  }

  /// The source of a placeholder's value.
  package enum Source: Hashable, Sendable {
    case fact(Placeholders.Name)
    /// One line about the event.
    case title
    /// The run's facts, and the last lines of its output.
    case message
    case parameter(String)

    static let parameterPrefix = "param."

    init?(_ word: String) {
      switch word {
      case "title": self = .title
      case "message": self = .message
      case _ where word.hasPrefix(Self.parameterPrefix):
        self = .parameter(String(word.dropFirst(Self.parameterPrefix.count)))
      default:
        guard let name = Placeholders.Name(rawValue: word) else { return nil }
        self = .fact(name)
      }
    }
  }

  package enum Filter: Hashable, Sendable {
    case escape(Placeholders.Filter)
    /// At most so many characters; a cut is marked.
    case max(Int)

    init?(_ word: String) {
      if let filter = Placeholders.Filter(rawValue: word) {
        self = .escape(filter)
      } else if word.hasPrefix("max("), word.hasSuffix(")"),
        let count = Int(word.dropFirst(4).dropLast()), (1...1_000_000).contains(count)
      {
        self = .max(count)
      } else {
        return nil
      }
    }
  }
}

extension RequestTemplate.Text {
  package init(parsing text: String) throws(Placeholders.Problem) {
    parts = []
    for piece in try Placeholders.pieces(of: text) {
      switch piece {
      case .text(let text): parts.append(.text(text))
      case .braces(let word, let filterWords):
        guard let source = RequestTemplate.Source(word) else { throw .unknown(word) }
        var filters: [RequestTemplate.Filter] = []
        for word in filterWords {
          guard let filter = RequestTemplate.Filter(word) else { throw .unknownFilter(word) }
          filters.append(filter)
        }
        parts.append(.value(source, filters))
      }
    }
  }
}
