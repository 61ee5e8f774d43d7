import TaktCore

/// Jobs that trigger themselves by their own writes.
extension SpecBuilder {
  /// Reports a command, or the file of its output, that obviously writes to a path that the job
  /// watches.
  func warnOfOwnWatches(of raw: RawJob, _ settled: JobDefaults, schedule: Schedule) {
    guard !schedule.watch.isEmpty else { return }
    let execution = settled.execution
    func report(_ path: String, at mark: YAMLMark, by writer: String) {
      let path = FilePath.absolute(FilePath.join(execution.directory, path))
      guard schedule.watch.contains(where: { $0.covers(path) }) else { return }
      reporter.report(
        .suspicious, severity: .warning, at: mark,
        "\(writer) writes '\(path.shortened)', which the job watches: each run triggers the next",
        hint: "write elsewhere, or watch another path", owner: raw.owner)
    }
    if let file = execution.output.file, let field = raw.fields[.output] {
      let own = field.value?.object?[Key.file]
      report(file.path, at: own?.mark ?? field.keyMark, by: "the output")
    }
    eachCommand(of: raw) { field, _ in
      switch field.value {
      case .text(let text):
        for path in Written.paths(in: text) { report(path, at: field.mark, by: "the command") }
      case .list(let items):
        let words = items.compactMap(\.value.text)
        for path in Written.paths(of: words[...]) {
          report(path, at: field.mark, by: "the command")
        }
      default: break
      }
    }
  }
}

/// The files that a command obviously writes: targets of `>` and of a few programs.
private enum Written {
  /// Those of a text for a shell.
  static func paths(in text: String) -> [String] {
    var paths: [String] = []
    var command: [String] = []
    var (isTarget, isDescriptor) = (false, false)
    for word in words(of: text) {
      switch word {
      case ">", ">>": isTarget = true
      case ">&": isDescriptor = true
      case _ where isDescriptor: isDescriptor = false
      case "|", ";", "&", "\n":
        paths += Self.paths(of: command[...])
        command = []
      case _ where isTarget:
        if isPlain(word) { paths.append(word) }
        isTarget = false
      default: command.append(word)
      }
    }
    return paths + Self.paths(of: command[...])
  }

  /// Those of one program with its arguments.
  static func paths(of words: ArraySlice<String>) -> [String] {
    let arguments = words.dropFirst().filter { !$0.hasPrefix("-") && isPlain($0) }
    switch words.first?.split(separator: "/").last {
    case "touch", "tee", "truncate", "mkdir": return arguments
    case "cp", "mv", "install", "ln": return arguments.count > 1 ? arguments.suffix(1) : []
    default: return []
    }
  }

  /// Splits into words, with operators of the shell as separate words; quoted text stays together.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    var word = ""
    var quote: Character?
    func end() {
      if !word.isEmpty { words.append(word) }
      word = ""
    }
    for character in text {
      if let open = quote {
        if character == open { quote = nil } else { word.append(character) }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character == ">" {
        if word == "1" || word == "2" { word = "" }
        end()
        if words.last == ">" { words[words.count - 1] = ">>" } else { words.append(">") }
      } else if character == "&", word.isEmpty, words.last == ">" {
        // `2>&1` writes no file.
        words[words.count - 1] = ">&"
      } else if "|;&\n".contains(character) {
        end()
        words.append(String(character))
      } else if character == " " || character == "\t" {
        end()
      } else {
        word.append(character)
      }
    }
    end()
    return words
  }

  /// True for a path without expansions.
  private static func isPlain(_ word: String) -> Bool {
    !word.contains { "$*?`~{}()&".contains($0) }
  }
}
