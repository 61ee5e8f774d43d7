import TaktCore
import TaktTime

/// The story, for people.
extension ExplorerWorld {
  /// A step is all that one machine does at one instant, with its consequences, as long as no other
  /// does something in between. A fault starts one.
  final class Book {
    struct Step {
      var at: Int64
      var machine: Int?
      var lines: [String]
      /// It changes nothing: its request must be repeated.
      var isIdle: Bool
      /// The times of its repetitions.
      var again: [Int64] = []
    }

    private(set) var steps: [Step] = []
    private var next = (machine: Int?.none, isFault: false)

    fileprivate func begin(_ machine: Int?, isFault: Bool) { next = (machine, isFault) }

    fileprivate func add(_ line: String, isIdle: Bool, at now: Int64) {
      let last = steps.count - 1
      if last >= 0, !next.isFault, steps[last].at == now, steps[last].machine == next.machine {
        steps[last].lines.append(line)
        steps[last].isIdle = steps[last].isIdle && isIdle
      } else {
        steps.append(Step(at: now, machine: next.machine, lines: [line], isIdle: isIdle))
      }
      next.isFault = false
    }

    /// A repeated event is shown once, if nothing else lies between or it changes nothing.
    var told: [Step] {
      var told: [Step] = []
      for step in steps {
        let same = told.lastIndex { $0.machine == step.machine && $0.lines == step.lines }
        if let same, step.isIdle || same == told.count - 1 {
          told[same].again.append(step.at)
        } else {
          told.append(step)
        }
      }
      return told
    }

    var story: [String] {
      told.map { step in
        let again = step.again.map { "\($0) ms" }.joined(separator: ", ")
        return "\(step.at) ms  " + step.lines.joined(separator: "\n    ")
          + (again.isEmpty ? "" : "\n    and again at \(again)")
      }
    }
  }

  func begin(_ step: Step) {
    guard let book else { return }
    if case .fault(let fault, _) = step {
      // A reload is a step of the first machine itself; an order is done to it.
      return book.begin(machine(of: step), isFault: fault != .reload)
    }
    book.begin(machine(of: step), isFault: false)
  }

  /// The machine that takes a step, or has a fault.
  func machine(of step: Step) -> Int? {
    switch step {
    case .boot(let index), .thaw(let index), .reload(let index), .fire(let index, _),
      .end(let index, _), .kept(let index, _), .guards(let index):
      index
    case .carry(let place), .hear(let place), .fault(.lostAnswer, let place),
      .fault(.lateBatch, let place):
      messages[place].machine
    case .fault(_, let index): index
    case .pass: nil
    }
  }

  func log(_ text: @autoclosure () -> String, isIdle: Bool = false) {
    guard let book else { return }
    book.add(text(), isIdle: isIdle, at: (now - ExplorerScene.begin).milliseconds)
  }

  func log(_ batch: ClaimBatch, _ reply: ClaimReply, of index: Int) {
    guard book != nil else { return }
    if reply.member == nil { return log("the engine does not know m\(index)") }
    for (request, answer) in zip(batch.requests, reply.answers) {
      log(
        "m\(index) asks \(words(request)): \(words(answer, to: request))", isIdle: answer.isIdle)
    }
  }

  private func words(_ answer: ClaimAnswer, to request: ClaimRequest) -> String {
    switch answer {
    case .granted(let token, let attempt): "granted, fence \(token.number), attempt \(attempt)"
    case .skipped(let reason): "skipped(\(reason.rawValue))"
    case .known(let slots, _):
      if case .ask(let job, _, _) = request {
        "known are "
          + (slots.isEmpty ? "none" : words(slots, of: job))
      } else {
        "\(answer)"
      }
    case .done, .taken, .early, .busy, .ended, .drifted, .superseded: "\(answer)"
    }
  }

  private func words(_ slots: [WallInstant], of job: JobName) -> String {
    slots.map { "\(ExplorerSlot(job, $0))" }.joined(separator: ", ")
  }

  private func words(_ request: ClaimRequest) -> String {
    switch request {
    case .declare(let job, _, let isChanged, _, _, _):
      "declare \(job)\(isChanged ? ", changed" : "")"
    case .claim(let claim):
      "claim \(ExplorerSlot(claim.job, claim.slot))"
        + (claim.earlier.map { ", before as \($0.number)" } ?? "")
    case .ask(let job, let slots, _):
      "for \(words(slots, of: job))"
    case .decide(let job, let slots, let verdict):
      "decide \(ExplorerSlot(job, slots.first)) \(verdict)"
    case .end(let token, let outcome, let reason): "end \(token.number) \(outcome) \(reason)"
    case .restore(let known): "restore \(known.token.number)"
    case .retire(let former): "retire \(former.number)"
    case .giveBack(let token): "give back \(token.number)"
    case .ranUnclaimed, .lastEnd, .suspend: "\(request)"
    }
  }
}

extension ClaimAnswer {
  /// True if the request must be repeated.
  fileprivate var isIdle: Bool {
    switch self {
    case .busy, .early: true
    default: false
    }
  }
}
