import Dispatch
import TaktCore

/// Collects the records of one turn of the scheduler's queue and hands them over together: a wake
/// that serves a hundred jobs wakes the writer once.
///
/// `@unchecked Sendable`: what changes is touched on the scheduler's queue alone, where the core's
/// effects are performed and the timer machines are operated and claimed.
final class TurnLog: Observer, @unchecked Sendable {
  /// A turn with more records hands them over in several goes.
  private static let recordsMax = 4096

  private let observer: any Observer
  private var records: [LogRecord] = []

  init(observer: any Observer) {
    self.observer = observer
  }

  func observe(_ records: [LogRecord]) {
    self.records += records
    if self.records.count >= Self.recordsMax { flush() }
  }

  func flush() {
    guard !records.isEmpty else { return }
    observer.observe(records)
    records.removeAll(keepingCapacity: true)
  }
}
