import Glibc

/// What commands say to the person who typed them.
enum Console {
  /// A line on standard output.
  static func print(_ line: String) {
    Swift.print(line)
  }

  /// A line on standard error.
  static func error(_ line: String) {
    // Unbuffered: the next thing may be the end of the program.
    (line + "\n").withCString { text in
      _ = write(STDERR_FILENO, text, strlen(text))
    }
  }

  /// Whether colour is wanted: on a terminal, unless `NO_COLOR` is set or the terminal is dumb.
  static var isColoured: Bool {
    guard isatty(STDOUT_FILENO) == 1 else { return false }
    if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
    return getenv("TERM").map { String(cString: $0) != "dumb" } ?? false
  }
}

extension String {
  /// The text with control characters made visible: what others wrote is not to steer a terminal.
  var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{fffd}" : $0 }))
  }
}
