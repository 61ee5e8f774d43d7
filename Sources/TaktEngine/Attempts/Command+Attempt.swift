import TaktCore
import TaktSystem
import TaktTime

extension Command {
  /// The command of an attempt. It has no arguments yet if the action is not a command.
  init(of request: AttemptRequest) {
    let arguments: [String] =
      switch request.action {
      case .shell(let text): request.spec.execution.shell + [text]
      case .argv(let arguments): arguments
      case .use, .plugin, .steps: []
      }
    self.init(
      arguments, request.spec.sharedExecution,
      origin: Origin(owner: request.spec.name.text, hook: request.facts?.hook),
      labels: request.outputFacts)
    if case .shell(let text) = request.action {
      direct = DirectStart(text, request.spec.execution)
    }
    run = request.run
    facts = Self.facts(of: request)
    guarding = Guarding(of: request)
  }

  static func facts(of request: AttemptRequest) -> [(TaktVariable, String)] {
    var own = [
      (TaktVariable.job, request.spec.name.text), (.slot, request.slot.rfc3339()),
      (.attempt, String(request.facts?.attempts ?? request.attempt)),
    ]
    // A hook for no run has none.
    if request.facts?.run != RunID(0) {
      own.append((.run, (request.facts?.run ?? request.run).description))
    }
    if let fence = request.fence { own.append((.fence, String(fence.number))) }
    if let changes = request.changes {
      own.append((.changed, changes.lines.joined(separator: "\n")))
      own.append((.changedCount, String(changes.lines.count)))
      if changes.isCut { own.append((.changedCut, "1")) }
    }
    guard let facts = request.facts else { return own }
    if let use = facts.use {
      own.append((.cpuMilliseconds, String(use.cpu.milliseconds)))
      if let peak = use.memoryPeakBytes { own.append((.memoryPeak, String(peak))) }
    }
    own.append((.host, HostName.current))
    if let url = PageAddress.ofRun(facts.run, request.spec.name) { own.append((.runURL, url)) }
    return own + [
      (.attempts, String(facts.attempts)),
      (.hook, facts.hook.rawValue), (.outcome, facts.end?.outcome.rawValue ?? ""),
      (.reason, facts.end.map { "\($0.reason)" } ?? ""),
      (.durationMilliseconds, String(facts.duration.milliseconds)),
      (.latenessMilliseconds, String(facts.lateness.milliseconds)),
      (.streak, String(facts.failureStreak)), (.output, text(of: facts.output)),
    ]
  }

  /// The end of an output as text that an environment can hold.
  static func text(of output: KeptOutput) -> String {
    output.endText(bytesMax: HookFacts.outputBytesMax).filter { $0 != "\0" }
  }
}
