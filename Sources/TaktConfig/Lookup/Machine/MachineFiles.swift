import Glibc
import TaktCore
import TaktSystem

/// Programs, folders and files of this machine, each looked for once.
///
/// It blocks while a file system does not answer.
final class MachineFiles {
  enum Flaw: Hashable {
    case missing
    case folder
    case notFolder
    case notExecutable
    case system(Int32)

    init(_ number: Int32) { self = number == ENOENT ? .missing : .system(number) }

    /// The rest of a sentence that starts with the place.
    var words: String {
      switch self {
      case .missing: "does not exist"
      case .folder: "is a folder"
      case .notFolder: "is not a folder"
      case .notExecutable: "is not executable"
      case .system(let number): "cannot be used: \(SystemError.text(number))"
      }
    }
  }

  private var programs: [String: Flaw?] = [:]
  private var folders: [String: Flaw?] = [:]
  private var files: [String: Flaw?] = [:]
  private var scripts: [String: ProgramFlaw?] = [:]
  private var openFiles: [String: Bool] = [:]
  private(set) lazy var ownPath = getenv("PATH").map { String(cString: $0) }

  private func type(_ path: String) -> Result<FileType, SystemError> {
    Result { () throws(SystemError) in try FileStatus(at: path).type }
  }

  /// The reason why a program cannot be started; nil for none.
  func flaw(ofProgram path: String) -> Flaw? {
    if let known = programs[path] { return known }
    let flaw: Flaw? =
      switch type(path) {
      case .failure(let error): Flaw(error.number)
      case .success(.folder): .folder
      case .success: access(path, X_OK) == 0 ? nil : .notExecutable
      }
    programs[path] = .some(flaw)
    return flaw
  }

  func flaw(ofFolder path: String) -> Flaw? {
    if let known = folders[path] { return known }
    let flaw: Flaw? =
      switch type(path) {
      case .failure(let error): Flaw(error.number)
      case .success(.folder): nil
      case .success: .notFolder
      }
    folders[path] = .some(flaw)
    return flaw
  }

  /// The reason why a file cannot be read; nil for none.
  func flaw(ofFile path: String) -> Flaw? {
    if let known = files[path] { return known }
    let flaw: Flaw? =
      switch type(path) {
      case .failure(let error): Flaw(error.number)
      case .success(.folder): .folder
      case .success: access(path, R_OK) == 0 ? nil : Flaw(errno)
      }
    files[path] = .some(flaw)
    return flaw
  }

  /// The reason why the system cannot execute an existing executable file; nil for none.
  func scriptFlaw(ofProgram path: String, startedIn folder: String) -> ProgramFlaw? {
    if let known = scripts[path] { return known }
    let flaw = ProgramFlaw.of(fileAt: path, startedIn: folder)
    scripts[path] = .some(flaw)
    return flaw
  }

  /// The path of a program in a `PATH`, the first that an account may execute; nil if no folder has
  /// it.
  ///
  /// - Parameter account: nil for takt's own.
  func place(
    of program: String, in path: String, from folder: String, for account: Account?
  ) -> String? {
    let places = path.split(separator: ":", omittingEmptySubsequences: false).lazy
      .map { FilePath.join(FilePath.join(folder, String($0)), program) }
      .filter { self.flaw(ofProgram: $0) == nil }
    let open = account.flatMap { account in
      places.first { self.place(closedTo: account, onWayTo: $0) == nil }
    }
    return open ?? places.first
  }

  /// The first folder on the way to a folder or a program, itself included, that an account may not
  /// enter or execute; nil if there is none, or it is not known.
  func place(closedTo account: Account, onWayTo path: String) -> String? {
    FolderEntry.closed(
      toUser: account.uid, groups: [account.gid] + account.groups, onWayTo: path)
  }

  /// True if users besides its owner and its group can read a file.
  func isOpenToOthers(_ path: String) -> Bool {
    if let known = openFiles[path] { return known }
    let isOpen = FolderEntry.othersCanRead(path, in: FilePath.folder(of: path))
    openFiles[path] = isOpen
    return isOpen
  }
}
