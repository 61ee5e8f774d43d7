import TaktCore

extension String {
  /// True for a text of letters, digits, `_` and `-`, as Debian requires for files that cron and
  /// run-parts read.
  var isPlainFileName: Bool { utf8.allSatisfy { $0.isWordByte || $0 == 0x2d } }
}
