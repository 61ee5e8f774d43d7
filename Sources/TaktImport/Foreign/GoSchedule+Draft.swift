import TaktCore
import TaktTime

extension GoSchedule {
  func set(in draft: inout JobDraft) {
    switch times {
    case .every(let every): draft[.every] = .word(DurationText.format(every))
    case .cron(let text, let days, let rule):
      draft[.cron] = .text(text)
      if let days { draft[.days] = .word(days.rawValue) }
      // `--verify` compares five fields.
      if text.hasPrefix("@") || text.split(separator: " ").count == 5 {
        draft.times = [.cron(text, rule: rule)]
      }
    case .manual: draft[.on] = .word(Schedule.manualWord)
    }
  }
}
