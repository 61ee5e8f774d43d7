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
        if let place = BackgroundEnd.innerText(of: texts) {
          checkEnd(of: texts[place], at: items[place].mark, owner: owner)
        }
        if let place = texts.firstIndex(of: Self.scheduleRun) {
          warnOfScheduleRun(at: items[place].mark, owner: owner)
        }
      default: break
      }
    }
  }

  private func checkEnd(of text: String, at mark: YAMLMark, owner: KeyOwner) {
    guard BackgroundEnd.isIn(text) else { return }
    reporter.report(
      .suspicious, severity: .warning, at: mark,
      "nothing waits for what the last '&' starts: takt ends it when the run ends",
      hint: "add 'wait' after it, or write \(JobKey.kill): {leftovers: leave} to let it continue",
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
