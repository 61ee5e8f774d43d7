import Dispatch
import Synchronization
import TaktCore

extension Reloader {
  /// The number of callers that wait for one check; a file system that never answers must not
  /// collect more.
  private static let lookersMax = 64
  /// Not the queue of the reloads, which a file system that does not answer would block.
  private static let looks = DispatchQueue(label: "takt.reload.look", qos: .utility)

  /// Replies with the files of the running jobs that have changed since they were read.
  package func changedFiles(reply: @escaping @Sendable ([String]) -> Void) {
    let isFirst = lookers.withLock { lookers in
      guard let waiting = lookers else {
        lookers = [reply]
        return true
      }
      if waiting.count < Self.lookersMax { lookers = waiting + [reply] }
      return false
    }
    guard isFirst else { return }
    Self.looks.async { [self] in
      let changed = runningFiles.withLock { $0 }.map { source.changedFiles(since: $0) } ?? []
      let replies = lookers.withLock { lookers in
        defer { lookers = nil }
        return lookers ?? []
      }
      for reply in replies { reply(changed) }
    }
  }
}
