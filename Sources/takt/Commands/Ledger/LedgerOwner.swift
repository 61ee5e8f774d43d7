import ArgumentParser
import Glibc
import TaktCore
import TaktSystem

/// Drops root's rights while a command reads a ledger.
enum LedgerOwner {
  /// Changes from root, for the rest of the command, to the user who may replace the files: SQLite
  /// opens files next to the database by their paths, creates missing ones and gives them to the
  /// owner of the database.
  ///
  /// - Parameter folder: the state folder.
  static func become(of folder: String) throws {
    guard geteuid() == 0 else { return }
    if let link = FileOpener.strangeLink(to: folder) {
      Console.error("takt: \(ForbiddenPlace.words(link: link.path, of: link.owner))")
      throw ExitCode.forbidden
    }
    let parts = ["", "/ledger.sqlite", "/ledger.sqlite-wal", "/ledger.sqlite-shm"].flatMap { name in
      // The folder itself, and a link in its place.
      [true, false].compactMap { try? FileStatus(judging: folder + name, followsLink: $0) }
    }
    let others = Dictionary(
      parts.filter { $0.owner != 0 }.map { ($0.owner, $0.group) }, uniquingKeysWith: { $1 })
    guard let (owner, group) = others.first else { return }
    guard others.count == 1 else {
      let users = others.keys.sorted().map(ForbiddenPlace.name).joined(separator: " and ")
      Console.error(
        "takt: \(folder.printable) and what is in it belong to \(users); run the command as one "
          + "of them")
      throw ExitCode.forbidden
    }
    guard setgroups(0, nil) == 0, setegid(group) == 0, seteuid(owner) == 0 else {
      Console.error(
        "takt: cannot read \(folder.printable) with the rights of its user "
          + "\(ForbiddenPlace.name(of: owner)): \(SystemError.text()); run the command as that user"
      )
      throw ExitCode.forbidden
    }
  }
}
