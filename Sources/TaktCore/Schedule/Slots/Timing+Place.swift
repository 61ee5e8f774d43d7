import TaktTime

extension Timing {
  /// True if a slot has a window, or is delayed.
  var movesSlots: Bool {
    switch leeway {
    case .duration(.zero): isPutOff
    case .duration, .percent: true
    }
  }

  private var isPutOff: Bool { spread != nil || jitter != .zero }

  /// Delays a slot by spread and jitter and gives it its window, both cut so that they end one
  /// millisecond before the next slot, which comes after `gap`. Its deadline is that of the nominal
  /// instant.
  func place(_ slot: Slot, before gap: Duration?, of job: JobName) -> Slot {
    var slot = slot
    let room = gap.map { max(.zero, $0 - .milliseconds(1)) } ?? .seconds(Int64(1) << 32)
    slot.offset = isPutOff ? min(offset(of: slot.nominal, job), room) : .zero
    if isPutOff { slot.deadline = slot.deadline + slot.offset }
    let leeway: Duration
    switch self.leeway {
    case .duration(let duration): leeway = duration
    case .percent(let percent): leeway = gap.map { $0 * (percent / 100) } ?? .zero
    }
    slot.window = min(leeway, room - slot.offset)
    return slot
  }
}
