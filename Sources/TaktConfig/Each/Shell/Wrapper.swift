/// Programs that start another one, given in their arguments.
enum Wrapper {
  /// The words between such a program and the other one, besides options and variables.
  private struct Form {
    /// Short options whose value is the next word.
    var valued = ""
    /// The number of words after the options.
    var operands = 0
  }

  private static let forms: [String: Form] = [
    "busybox": Form(), "chroot": Form(operands: 1), "chrt": Form(valued: "TPD", operands: 1),
    "command": Form(), "doas": Form(valued: "uC"), "env": Form(valued: "uC"),
    "exec": Form(valued: "a"), "flock": Form(valued: "wE", operands: 1),
    "ionice": Form(valued: "cn"), "nice": Form(valued: "n"), "nohup": Form(), "setsid": Form(),
    "stdbuf": Form(valued: "ioe"), "sudo": Form(valued: "ughpCDRrTtU"),
    "taskset": Form(operands: 1), "time": Form(valued: "fo"),
    "timeout": Form(valued: "ks", operands: 1),
  ]

  /// The words from the started program on; all of them if none is started.
  static func program(in words: [String]) -> ArraySlice<String> {
    var rest = words[...]
    while let first = rest.first, let form = forms[UsualShell.baseName(first)] {
      rest = rest.dropFirst()
      while let word = rest.first, word.hasPrefix("-") || word.contains("=") {
        let hasValue = word.utf8.count == 2 && form.valued.contains { $0 == word.last }
        rest = rest.dropFirst(hasValue ? 2 : 1)
      }
      rest = rest.dropFirst(form.operands)
    }
    return rest
  }
}
