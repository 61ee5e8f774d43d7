extension RunMachine {
  package enum EventName: String, CaseIterable, Hashable, Sendable {
    case start, resume
    case actionEnded = "action ended"
    case groupEnded = "group ended"
    case timer
    case stop, hurry
    case nextSlot = "next slot"
  }

  /// The states to which each event may lead from each state; an event that is missing changes
  /// nothing. The diagram in the docs is made from this table, and the log of a run has no other
  /// transition.
  package static let table: [RunState.Kind: [EventName: Set<RunState.Kind>]] = [
    .queued: [
      .start: [.running, .ended], .resume: [.backingOff], .timer: [.ended], .stop: [.ended],
      .hurry: [.ended], .nextSlot: [.ended],
    ],
    .running: [
      .actionEnded: [.running, .stopping, .backingOff, .ended], .timer: [.stopping],
      .stop: [.stopping], .hurry: [.killing],
    ],
    .stopping: [
      .actionEnded: [.backingOff, .ended], .groupEnded: [.running, .backingOff, .ended],
      .timer: [.killing], .hurry: [.killing],
    ],
    .killing: [
      .actionEnded: [.backingOff, .ended], .groupEnded: [.running, .backingOff, .ended],
    ],
    .backingOff: [.timer: [.queued], .stop: [.ended], .hurry: [.ended], .nextSlot: [.ended]],
    .ended: [:],
  ]

  /// The table as Markdown, with a diagram in Mermaid's language above it.
  package static var reference: String {
    var text = "```mermaid\nstateDiagram-v2\n  [*] --> queued\n"
    for from in RunState.Kind.allCases {
      for to in RunState.Kind.allCases {
        let events = EventName.allCases.filter { table[from]?[$0]?.contains(to) == true }
        guard !events.isEmpty else { continue }
        text += "  \(from.rawValue) --> \(to.rawValue): "
        text += events.map(\.rawValue).joined(separator: ", ") + "\n"
      }
    }
    text += "  ended --> [*]\n```\n\n| state | "
    text += EventName.allCases.map(\.rawValue).joined(separator: " | ") + " |\n|---"
    text += String(repeating: "|---", count: EventName.allCases.count) + "|\n"
    for from in RunState.Kind.allCases {
      text += "| `\(from.rawValue)` |"
      for event in EventName.allCases {
        let targets = table[from]?[event] ?? []
        let names = RunState.Kind.allCases.filter(targets.contains).map { "`\($0.rawValue)`" }
        text += names.isEmpty ? " – |" : " \(names.joined(separator: ", ")) |"
      }
      text += "\n"
    }
    return text
  }
}
