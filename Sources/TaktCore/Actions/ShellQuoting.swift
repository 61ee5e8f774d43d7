extension String {
  /// Within the single quotes of a shell.
  ///
  /// By code points: to a `Character`, a quote and a combining mark after it are one.
  package var withinSingleQuotes: String { replacing("'", by: "'\\''") }

  /// As one word of a POSIX shell, in quotes.
  package var singleQuoted: String { "'\(withinSingleQuotes)'" }

  /// Replaces each occurrence of a code point.
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

  /// True if it has the code point, with or without a combining mark after it.
  package func has(_ scalar: Unicode.Scalar) -> Bool { unicodeScalars.contains(scalar) }
}
