import TaktCore

extension String {
  /// Whether the text has letters, digits, `_` and `-` alone, as Debian wants the names of files that
  /// cron and run-parts read.
  var isPlainFileName: Bool { utf8.allSatisfy { $0.isWordByte || $0 == 0x2d } }
}
