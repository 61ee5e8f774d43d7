import TaktCore
import TaktTime

/// Holds the starts of attempts against what each job's delivery promises, over all lives of takt.
struct StartOracle {
  private struct Key: Hashable {
    var job: JobName
    var slot: WallInstant
    var attempt: Int
  }

  /// Attempts of `at_most_once` jobs for their slots.
  private var started: Set<Key> = []
  private var heads: [RunID: RunHead] = [:]
  private(set) var problems: [String] = []

  mutating func take(_ entries: [LedgerEntry]) {
    for entry in entries {
      switch entry {
      case .claimed(let run), .began(let run): heads[run.head.run] = run.head
      default: break
      }
    }
  }

  mutating func crashed() {
    heads = [:]
  }

  mutating func begin(_ former: FormerBooks) {
    for run in former.runs { heads[run.head.run] = run.head }
  }

  mutating func start(_ request: AttemptRequest) {
    guard request.step == 0, request.facts == nil, let head = heads[request.run],
      head.kind != .manual, head.delivery == .atMostOnce,
      request.spec.delivery == .atMostOnce
    else { return }
    let key = Key(job: request.spec.name, slot: request.slot, attempt: request.attempt)
    if !started.insert(key).inserted {
      problems.append(
        "\(key.job): attempt \(key.attempt) of \(key.slot.rfc3339()) started twice, at most once")
    }
  }
}
