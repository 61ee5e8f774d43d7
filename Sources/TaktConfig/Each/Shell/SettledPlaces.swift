import TaktCore

/// The results for the values of a shell's text: the place of each, or the reason to refuse it.
struct SettledPlaces {
  /// By number of value; nil if not determined yet.
  private var places: [ShellPlace?]
  /// True if the text may evaluate the value of a variable.
  private let evaluatesVariables: Bool

  /// - Parameter text: the whole text without the values.
  init(count: Int, in text: String) {
    places = Array(repeating: nil, count: count)
    evaluatesVariables =
      ShellBuiltins.evaluatingWords.contains { text.hasWord($0) } || text.hasNumberInBraces
  }

  /// All places, in order; undetermined ones are refused.
  func all(orRefused reason: String) -> [ShellPlace] { places.map { $0 ?? .refused(reason) } }

  mutating func refuse(_ number: Int, _ reason: String) { places[number] = .refused(reason) }

  mutating func refuse(_ word: CommandWord, _ reason: String) {
    for number in word.values.map(\.number) + word.innerValues { places[number] = .refused(reason) }
  }

  /// Determines the values of a word; those of commands in it are determined already.
  mutating func settle(_ word: CommandWord, isCommandName: Bool = false) {
    for value in word.values {
      switch value.place {
      case .refused: places[value.number] = value.place
      case _ where word.hasBracket: places[value.number] = .refused("in a word with '['")
      case .word(let isAlwaysQuoted):
        if let sign = word.oddSign {
          places[value.number] = .refused(
            "in a word with '\(Character(Unicode.Scalar(sign)))'")
        } else {
          places[value.number] = .word(
            isAlwaysQuoted: isAlwaysQuoted || isCommandName || word.isBeforeRedirection)
        }
      case .plain, .singleQuotes, .doubleQuotes: places[value.number] = value.place
      }
    }
    if word.hasBracket {
      for number in word.innerValues { places[number] = .refused("in a word with '['") }
    }
  }

  /// Determines the values of a simple command; returns the reason if nothing after it can be
  /// determined.
  ///
  /// - Parameter isWhole: false if the text continues in an unread form.
  mutating func settle(_ command: [CommandWord], isWhole: Bool) -> String? {
    var rest = command[...]
    while let word = rest.first, let name = word.assignedName {
      if evaluatesVariables || ShellBuiltins.evaluatedVariables.contains(name) {
        refuse(word, "in the value of '\(name)', which the shell may evaluate")
      } else {
        settle(word)
      }
      rest.removeFirst()
    }
    let shellCommand = ShellCommand(
      rest, evaluatesVariables: evaluatesVariables, isWhole: isWhole)
    for (word, verdict) in shellCommand.verdicts {
      switch verdict {
      case .name: settle(word, isCommandName: true)
      case .argument: settle(word)
      case .refused(let reason): refuse(word, reason)
      }
    }
    return shellCommand.lastingDoubt
  }
}

extension String {
  /// True for `${NAME[…` or `${NAME:…`, of which shells evaluate the rest as a number.
  fileprivate var hasNumberInBraces: Bool {
    var rest = utf8[...]
    while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
      rest = rest[dollar...].dropFirst()
      guard rest.first == UInt8(ascii: "{") else { continue }
      let behind = rest.dropFirst().drop { $0.isWordByte || "#!".utf8.contains($0) }
      let signs = Array(behind.prefix(2))
      if signs.first == UInt8(ascii: "[") { return true }
      if signs.first == UInt8(ascii: ":"), signs.count > 1, !"-=?+".utf8.contains(signs[1]) {
        return true
      }
    }
    return false
  }

  /// True if a text occurs that is not the end of a longer word.
  fileprivate func hasWord(_ word: String) -> Bool {
    let bytes = Array(utf8)
    let wanted = Array(word.utf8)
    return bytes.indices.contains { start in
      bytes[start] == wanted[0] && bytes[start...].starts(with: wanted)
        && (start == 0 || !bytes[start - 1].isWordByte)
    }
  }
}
