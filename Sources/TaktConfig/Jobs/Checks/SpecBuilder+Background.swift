import TaktCore

/// Commands that leave work in the background, which ends with the run.
extension SpecBuilder {
  private static let scheduleRun = "schedule:run"

  func warnOfBackground(of raw: RawJob, _ settled: JobDefaults) {
    guard settled.execution.stop.leftovers == .end else { return }
    let readsText = UsualShell.readsText(after: settled.execution.shell)
    eachCommand(of: raw) { field, owner in
      switch field.value {
      case .text(let text):
        if readsText { checkEnd(of: text, at: field.mark, owner: owner) }
        let words = text.split(whereSeparator: \.isWhitespace)
        if words.contains(where: { $0 == Self.scheduleRun }) {
          warnOfScheduleRun(at: field.mark, owner: owner)
        }
      case .list(let items):
        let texts = items.map { $0.value.text ?? "" }
        if let last = items.last, UsualShell.readsText(after: texts.dropLast()) {
          checkEnd(of: texts.last ?? "", at: last.mark, owner: owner)
        }
        if let place = texts.firstIndex(of: Self.scheduleRun) {
          warnOfScheduleRun(at: items[place].mark, owner: owner)
        }
      default: break
      }
    }
  }

  private func checkEnd(of text: String, at mark: YAMLMark, owner: KeyOwner) {
    guard text.utf8.contains(UInt8(ascii: "&")), BackgroundEnd.isIn(text) else { return }
    reporter.report(
      .suspicious, severity: .warning, at: mark,
      "the command ends with '&': takt ends what runs in the background when the run ends",
      hint: "add 'wait' behind it, or write \(JobKey.kill): {leftovers: leave} to let it continue",
      owner: owner)
  }

  private func warnOfScheduleRun(at mark: YAMLMark, owner: KeyOwner) {
    reporter.report(
      .suspicious, severity: .warning, at: mark,
      "Laravel's '\(Self.scheduleRun)' may leave tasks in the background, which takt ends when the "
        + "run ends", hint: "write \(JobKey.kill): {leftovers: leave} to let them continue",
      owner: owner)
  }
}

/// The end of a shell's text.
private enum BackgroundEnd {
  /// Words and signs that close what the last command is part of.
  private static let closing: Set<Substring> = [")", "}", ";", "done", "fi", "esac"]

  /// Whether the last command of a text goes to the background.
  static func isIn(_ text: String) -> Bool {
    var words = words(of: text)
    while let last = words.last, closing.contains(last) { words.removeLast() }
    return words.last == "&"
  }

  /// The words of a text, as a shell would see them: none of one that ends within quotes.
  private static func words(of text: String) -> [Substring] {
    var words: [Substring] = []
    var start: String.Index?
    var quote: Character?
    var isEscaped = false
    var isComment = false
    func end(at place: String.Index) {
      if let begin = start { words.append(text[begin..<place]) }
      start = nil
    }
    for place in text.indices {
      let sign = text[place]
      if isComment {
        isComment = !sign.isNewline
      } else if isEscaped {
        isEscaped = false
      } else if let open = quote {
        if sign == "\\", open == "\"" { isEscaped = true }
        if sign == open { quote = nil }
      } else if sign == "#", start == nil {
        isComment = true
      } else if sign.isWhitespace {
        end(at: place)
      } else if sign == ")" || sign == ";" {
        end(at: place)
        words.append(text[place...place])
      } else if sign == "&", !isPart(place, of: text) {
        end(at: place)
        words.append("&")
      } else {
        if sign == "'" || sign == "\"" || sign == "`" { quote = sign }
        isEscaped = sign == "\\"
        start = start ?? place
      }
    }
    end(at: text.endIndex)
    return quote == nil ? words : []
  }

  /// Whether a `&` belongs to another sign: `&&`, `>&`, `<&`, `&>` or `|&`.
  private static func isPart(_ place: String.Index, of text: String) -> Bool {
    let before = place > text.startIndex ? text[text.index(before: place)] : " "
    let next = text.index(after: place)
    let after = next < text.endIndex ? text[next] : " "
    return "&><|".contains(before) || "&>".contains(after)
  }
}
