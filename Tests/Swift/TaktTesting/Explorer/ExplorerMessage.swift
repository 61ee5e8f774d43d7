import TaktCore
import TaktTime

/// A message under way between a machine and the engine.
final class ExplorerMessage: Hashable {
  enum Content: Hashable {
    case batch(ClaimBatch)
    case outcome(ClaimOutcome)
  }

  let content: Content
  /// Equal for messages that differ only in their numbers.
  let digest: Int
  private let hash: Int

  init(_ content: Content) {
    self.content = content
    var hasher = Hasher()
    switch content {
    case .batch(var batch):
      batch.number = 0
      hasher.combine(batch)
    case .outcome(.answered(var reply)):
      reply.number = 0
      hasher.combine(reply)
    case .outcome(.failed): break
    }
    digest = hasher.finalize()
    hash = digest ^ Int(truncatingIfNeeded: Self.number(of: content)) &* 0x9E37_79B9_7F4A_7C1
  }

  /// The number of its batch.
  var number: UInt64 { Self.number(of: content) }

  private static func number(of content: Content) -> UInt64 {
    switch content {
    case .batch(let batch): batch.number
    case .outcome(let outcome): outcome.number
    }
  }

  var isBatch: Bool { if case .batch = content { true } else { false } }

  static func == (left: ExplorerMessage, right: ExplorerMessage) -> Bool {
    left === right || left.hash == right.hash && left.content == right.content
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// A slot of a job.
struct ExplorerSlot: Hashable, CustomStringConvertible {
  var job: JobName
  var at: WallInstant

  init(_ job: JobName, _ at: WallInstant) {
    self.job = job
    self.at = at
  }

  init(_ execution: ExplorerMachine.Execution) { self.init(execution.job, execution.slot) }

  var description: String { "\(job) \((at - ExplorerScene.start).milliseconds)" }
}
