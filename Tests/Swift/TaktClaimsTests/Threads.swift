import Dispatch
import Synchronization

/// Runs this on so many threads at once, and returns when all have ended.
func onThreads(
  _ count: Int, _ body: @escaping @Sendable (Int) throws -> Void
) throws {
  let failures = Mutex<[any Error]>([])
  let group = DispatchGroup()
  for index in 0..<count {
    DispatchQueue(label: "client \(index)").async(group: group) {
      do { try body(index) } catch { failures.withLock { $0.append(error) } }
    }
  }
  group.wait()
  if let failure = failures.withLock(\.first) { throw failure }
}
