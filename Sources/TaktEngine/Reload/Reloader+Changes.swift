import Dispatch
import Synchronization
import TaktCore

extension Reloader {
  /// So many wait for one look at most; a file system that never answers is to hold no more.
  private static let lookersMax = 64
  /// Not the queue of the reloads, which a file system that does not answer would hold up.
  private static let looks = DispatchQueue(label: "takt.reload.look", qos: .utility)

  /// Which of the files that the running jobs were read from have changed since.
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
