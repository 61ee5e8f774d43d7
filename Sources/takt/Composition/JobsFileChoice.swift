import ArgumentParser
import Glibc
import Synchronization
import TaktCore

/// The jobs file that a command takes where its options name none.
enum JobsFileChoice {
  /// The variable that names one.
  static let variable = "TAKT_FILE"
  /// The one of this folder.
  static let own = "jobs.yaml"
  /// The one of the packaged service.
  static let installed = "/etc/takt/jobs.yaml"

  /// What the variable names; nil where it is not set, or empty.
  static var named: String? {
    getenv(variable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The file of commands that start or check something: never one that nobody has named and that is not
  /// here.
  static var standard: String { named ?? own }

  /// The file of the daemon that a command talks to, or whose ledger it reads: of a folder that has nothing
  /// of takt's, that of the installed service while it runs.
  ///
  /// - Parameter hasDaemon: whether there is anything at the place of a jobs file's socket.
  static func ofDaemon(
    own: String = own, installed: String = installed, hasDaemon: (String) -> Bool
  ) -> String {
    if let named { return named }
    let folder = own.lastIndex(of: "/").map { String(own[...$0]) } ?? ""
    // The daemon of a file that somebody has removed runs on, and its ledger stays.
    let isHere = [own, folder + ".takt"].contains { (path: String) in access(path, F_OK) == 0 }
    return !isHere && !hasDaemon(own) && hasDaemon(installed) ? installed : own
  }

  /// Ends the program if a file that no option names is not there, and says which one it is where it is
  /// not that of this folder.
  static func requireUnnamed(_ path: String) throws {
    let isMissing = access(path, F_OK) != 0 && errno == ENOENT
    if path == named {
      guard isMissing else { return note(path) }
      Console.error("takt: there is no jobs file \(path.printable), which \(variable) names")
      throw ExitCode.configuration
    }
    if path == own, isMissing {
      Console.error(
        "takt: there is no \(path) in this folder; create one with `takt init`, or name another file"
      )
      throw ExitCode.configuration
    }
  }

  private static let isNoted = Atomic(false)

  /// Says once which file it is where no option names it and it is not that of this folder.
  static func note(_ path: String) {
    guard path != own, !isNoted.exchange(true, ordering: .relaxed) else { return }
    let why = path == named ? "\(variable) names it" : "there is no \(own) in this folder"
    Console.error("takt: using \(path.printable): \(why)")
  }
}
