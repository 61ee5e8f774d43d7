extension Placeholders {
  /// An escape that makes the reader of a text take the value as one value.
  package enum Filter: String, CaseIterable, Hashable, Sendable {
    /// Within the quotes of a JSON string.
    case json
    /// One part of a path, or one value of a query.
    case url
    /// The text of an HTML or XML element, or of an attribute in quotes.
    case html
    /// One word of a POSIX shell.
    case shell

    fileprivate func applied(to text: String) -> String {
      switch self {
      case .json:
        var bytes: [UInt8] = []
        JSONText.append(text, to: &bytes)
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
      case .url: return text.percentEncodedPart
      case .html: return text.htmlEscaped
      case .shell: return text.singleQuoted
      }
    }
  }
}

extension [Placeholders.Filter] {
  package func applied(to text: String) -> String {
    reduce(text) { $1.applied(to: $0) }
  }
}

extension String {
  fileprivate var htmlEscaped: String {
    var whole = UnicodeScalarView()
    for scalar in unicodeScalars {
      let name: String? =
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        case "'": "&#39;"
        default: nil
        }
      if let name {
        whole.append(contentsOf: name.unicodeScalars)
      } else {
        whole.append(scalar)
      }
    }
    return String(whole)
  }
}
