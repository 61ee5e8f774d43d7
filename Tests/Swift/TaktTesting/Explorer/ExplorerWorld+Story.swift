import TaktCore
import TaktTime

/// What happens, for people.
extension ExplorerWorld {
  final class Book {
    /// An event and what it causes, in lines.
    struct Step {
      var at: Int64
      var machine: Int?
      var lines: [String]
    }

    private(set) var steps: [Step] = []
    private var next = (machine: Int?.none, isCaused: false)
    private var isBegun = false

    fileprivate func begin(_ machine: Int?, isCaused: Bool) {
      next = (machine, isCaused)
      isBegun = false
    }

    fileprivate func add(_ line: String, at now: Int64) {
      let last = steps.count - 1
      if isBegun
        || next.isCaused && last >= 0 && steps[last].at == now
          && steps[last].machine == next.machine
      {
        steps[last].lines.append(line)
      } else {
        steps.append(Step(at: now, machine: next.machine, lines: [line]))
      }
      isBegun = true
    }

    /// What comes again, with nothing else between, is one step.
    var story: [String] {
      var told: [(step: Step, again: [String])] = []
      for step in steps {
        if told.last?.step.lines == step.lines {
          told[told.count - 1].again.append("\(step.at) ms")
        } else {
          told.append((step, []))
        }
      }
      return told.map { step, again in
        "\(step.at) ms  " + step.lines.joined(separator: "\n    ")
          + (again.isEmpty ? "" : "\n    and again at \(again.joined(separator: ", "))")
      }
    }
  }

  /// What a machine hears at once of what it asked, and what it then does and asks, is caused by what
  /// has made it ask. What goes wrong causes nothing of the kind: a batch was under way before.
  func begin(_ step: Step) {
    guard let book else { return }
    switch step {
    case .carry(let place), .hear(let place):
      book.begin(messages[place].machine, isCaused: true)
    case .kept(let index, _): book.begin(index, isCaused: true)
    case .boot(let index), .thaw(let index), .reload(let index), .fire(let index, _),
      .end(let index, _), .guards(let index):
      book.begin(index, isCaused: false)
    case .pass, .fault: book.begin(nil, isCaused: false)
    }
  }

  func log(_ text: @autoclosure () -> String) {
    guard let book else { return }
    book.add(text(), at: (now - ExplorerScene.begin).milliseconds)
  }

  func log(_ batch: ClaimBatch, _ reply: ClaimReply, of index: Int) {
    guard book != nil else { return }
    if reply.member == nil { return log("the engine does not know m\(index)") }
    for (request, answer) in zip(batch.requests, reply.answers) {
      log("m\(index) asks \(words(request)): \(words(answer, to: request))")
    }
  }

  private func words(_ answer: ClaimAnswer, to request: ClaimRequest) -> String {
    switch answer {
    case .granted(let token, let attempt): "granted, fence \(token.number), attempt \(attempt)"
    case .skipped(let reason): "skipped(\(reason.rawValue))"
    case .known(let slots, _):
      if case .ask(let job, _, _) = request {
        "known are " + (slots.isEmpty ? "none" : words(slots, of: job))
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
