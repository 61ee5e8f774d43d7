import ArgumentParser
import Glibc
import Synchronization
import TaktCore

/// The jobs file of a command whose options name none.
enum JobsFileChoice {
  static let variable = "TAKT_FILE"
  /// The one in the current folder.
  static let own = "jobs.yaml"
  /// The one of the packaged service.
  static let installed = "/etc/takt/jobs.yaml"

  /// The value of the variable; nil if it is not set, or empty.
  static var named: String? {
    getenv(variable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// For commands that start or check jobs: never a file that is neither named nor in this folder.
  static var standard: String { named ?? own }

  /// For commands that talk to a daemon or read its ledger: in a folder without files of takt, that
  /// of the installed service while it runs.
  ///
  /// - Parameter hasDaemon: true if anything is at the place of a jobs file's socket.
  static func ofDaemon(
    own: String = own, installed: String = installed, hasDaemon: (String) -> Bool
  ) -> String {
    if let named { return named }
    let folder = own.lastIndex(of: "/").map { String(own[...$0]) } ?? ""
    // The daemon of a removed file continues, and its ledger stays.
    let isHere = [own, folder + ".takt"].contains { (path: String) in access(path, F_OK) == 0 }
    return !isHere && !hasDaemon(own) && hasDaemon(installed) ? installed : own
  }

  /// Ends the program if a file that no option names is missing, and prints its name if it is not
  /// that of this folder.
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

  /// Prints once which file is used if no option names it and it is not that of this folder.
  static func note(_ path: String) {
    guard path != own, !isNoted.exchange(true, ordering: .relaxed) else { return }
    let why = path == named ? "\(variable) names it" : "there is no \(own) in this folder"
    Console.error("takt: using \(path.printable): \(why)")
  }
}
