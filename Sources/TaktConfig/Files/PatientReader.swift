import TaktCore
import TaktSystem

/// Reads files on a thread of its own, so that a file system that does not answer delays a load by
/// a few seconds at most. A thread that hangs is abandoned.
struct PatientReader {
  struct Contents: Sendable {
    var bytes: [UInt8]
    var identity: FileIdentity
    var stamp: FileStamp?
    var owner: UInt32
    var isNameless = false
  }

  static let limit = Duration.seconds(3)

  /// Starts no read in a folder that still does not answer, so that it costs one thread and the
  /// wait for one file.
  private static let patience = Patience(thread: "takt-read", stuckMax: 32, atPlace: 1)

  let bound: Int
  /// The users by whom files are checked; nil to open any file.
  let parties: FileParties?
  let reach: FileReach?

  func read(_ path: String, as row: FileTrust) throws(FileProblem) -> Contents {
    let (bound, parties, reach) = (bound, parties, reach)
    let result: Result<Contents, FileProblem>
    do throws(NoAnswer) {
      result = try Self.patience.value(at: FilePath.folder(of: path), within: Self.limit) {
        Result { () throws(FileProblem) in
          let contents = try FileReader(
            bound: bound, opener: parties.map(FileOpener.init), reach: reach
          ).read(path, as: row)
          return Contents(
            bytes: contents.bytes.withBytes { Array($0) }, identity: contents.identity,
            stamp: contents.stamp, owner: contents.owner, isNameless: contents.isNameless)
        }
      }
    } catch {
      guard case .noThread(let error) = error else { throw .unresponsive }
      throw .system(error.number)
    }
    return try result.get()
  }
}
