extension String {
  /// Within the single quotes of a shell.
  ///
  /// By code points: to a `Character`, a quote and a combining mark after it are one.
  package var withinSingleQuotes: String { replacing("'", by: "'\\''") }

  /// As one word of a POSIX shell, in quotes.
  package var singleQuoted: String { "'\(withinSingleQuotes)'" }

  /// With another text for each of a code point.
  package func replacing(_ scalar: Unicode.Scalar, by text: String) -> String {
    var whole = UnicodeScalarView()
    for other in unicodeScalars {
      if other == scalar {
        whole.append(contentsOf: text.unicodeScalars)
      } else {
        whole.append(other)
      }
    }
    return String(whole)
  }

  /// Whether a code point is in it, with a combining mark after it or not.
  package func has(_ scalar: Unicode.Scalar) -> Bool { unicodeScalars.contains(scalar) }
}
