import Dispatch
import Synchronization
import TaktCore
import TaktSystem

/// Reads files on a thread of its own, so that a file system that does not answer keeps a load waiting
/// for a few seconds at most. A thread that does not return is left where it hangs.
struct PatientReader {
  /// One file as it was read.
  struct Contents: Sendable {
    var bytes: [UInt8]
    var identity: FileIdentity
    var owner: UInt32
    var isNameless = false
  }

  static let patienceSeconds = 3

  /// The folders in which reads hang, and how many in each: none is begun in a folder that does not
  /// answer still, so that it costs one thread and the patience for one file.
  private static let hanging = Mutex<[String: Int]>([:])

  /// The most bytes that a file may have.
  let bound: Int
  /// The users by whom files are judged; nil to open whatever is a file.
  let parties: FileParties?
  let reach: FileReach?

  func read(_ path: String, as row: FileTrust) throws(FileProblem) -> Contents {
    let folder = FilePath.folder(of: path)
    if Self.hanging.withLock({ $0[folder] != nil }) { throw .unresponsive }
    let attempt = Attempt()
    let (bound, parties, reach) = (bound, parties, reach)
    DispatchQueue.global(qos: .utility).async {
      let reader = FileReader(
        bound: bound, opener: parties.map(FileOpener.init), reach: reach)
      let result: Result<Contents, FileProblem>
      do throws(FileProblem) {
        let contents = try reader.read(path, as: row)
        result = .success(
          Contents(
            bytes: contents.bytes.withBytes { Array($0) }, identity: contents.identity,
            owner: contents.owner, isNameless: contents.isNameless))
      } catch {
        result = .failure(error)
      }
      if attempt.end(with: result) {
        Self.hanging.withLock { hanging in
          let count = hanging[folder, default: 1] - 1
          hanging[folder] = count > 0 ? count : nil
        }
      }
    }
    guard
      let result = attempt.result(
        within: .seconds(Self.patienceSeconds),
        orElse: { Self.hanging.withLock { $0[folder, default: 0] += 1 } })
    else { throw .unresponsive }
    return try result.get()
  }

  /// One read: whichever comes first, its result or the end of the patience, decides.
  private final class Attempt: Sendable {
    private let state = Mutex((result: Result<Contents, FileProblem>?.none, isLate: false))
    private let ended = DispatchSemaphore(value: 0)

    /// Whether it is too late.
    func end(with result: Result<Contents, FileProblem>) -> Bool {
      defer { ended.signal() }
      return state.withLock { state in
        state.result = result
        return state.isLate
      }
    }

    /// The result; nil when it will be late, after `giveUp`.
    func result(
      within patience: DispatchTimeInterval, orElse giveUp: () -> Void
    ) -> Result<Contents, FileProblem>? {
      _ = ended.wait(timeout: .now() + patience)
      return state.withLock { state in
        if state.result == nil {
          state.isLate = true
          giveUp()
        }
        return state.result
      }
    }
  }
}
