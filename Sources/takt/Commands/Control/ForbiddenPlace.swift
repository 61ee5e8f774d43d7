import ArgumentParser
import Glibc
import Synchronization
import TaktAPI
import TaktControl
import TaktCore
import TaktEngine
import TaktSystem

/// Messages on files of another user.
enum ForbiddenPlace {
  /// The reason why a path cannot be used, with the folder or file on the way that refuses.
  static func words(_ path: String) -> String {
    var place = path
    var status = try? FileStatus(at: place, followsLink: false)
    // A folder that cannot be entered can be seen from above.
    while status == nil, let cut = place.lastIndex(of: "/"), cut > place.startIndex {
      place = String(place[..<cut])
      status = try? FileStatus(at: place, followsLink: false)
    }
    let user = status?.owner ?? 0
    let owner = name(of: user)
    let allowed = user == 0 ? owner : "\(owner) or root"
    return "no permission: \(place) belongs to user \(owner), and you are user "
      + "\(name(of: geteuid())). Run the command as \(allowed), or name another jobs file with -f."
  }

  /// The reason why a state folder behind a link of another user is not used; with the jobs file of
  /// the daemon that it leads to, if known.
  static func words(link: String, of owner: uid_t, to file: String? = nil) -> String {
    "\(link.printable) is a link of user \(name(of: owner)) and leads to the state folder of another user"
      + (file.map { ", whose daemon runs \($0.printable)" } ?? "")
      + ". If you mean that one, name \(file == nil ? "the folder with --state" : "this file with -f")."
  }

  /// The number for a user without a name.
  static func name(of user: uid_t) -> String {
    userDatabase.withLock { _ in
      // The lock keeps other threads from calling before the name is copied.
      guard let entry = getpwuid(user), let name = entry.pointee.pw_name else {
        return String(user)
      }
      return String(cString: name)
    }
  }

  private static let userDatabase = Mutex(())
}

extension ControlArgument {
  /// The daemon that another user's link leads to, if it runs the wanted jobs file and no such link
  /// leads to that file, too; ends the program otherwise.
  func connect(by link: String, of owner: uid_t, at path: String) throws -> Connection {
    // Its owner may change the link meanwhile: the connection that is asked for its file is the one
    // that is used.
    let connection = Connection(path: SmallFile.realPath(path) ?? path)
    let file = connection.askQuietly(API.Status.self, "/api/v1/status")?.file
    let meant = JobsFileSource(path: self.file, catalogue: BuiltinRegistry.standard).absolutePath
    if folder == nil, file == meant, FileOpener.strangeLink(to: self.file) == nil {
      return connection
    }
    Console.error("takt: \(ForbiddenPlace.words(link: link, of: owner, to: file))")
    throw ExitCode.forbidden
  }
}

extension ControlClient.Silence {
  /// The likely cause, and the next step.
  var words: String {
    guard let pid else {
      return "the daemon has not answered for \(seconds) s; waiting up to \(limitSeconds) s"
    }
    let isStopped = ProcessStatus.read(pid)?.isStopped ?? false
    return isStopped
      ? "takt (pid \(pid)) is stopped and does not answer; 'kill -CONT \(pid)' lets it continue. "
        + "Waiting up to \(limitSeconds) s."
      : "takt (pid \(pid)) has not answered for \(seconds) s; waiting up to \(limitSeconds) s. If it "
        + "hangs, end it with 'kill -9 \(pid)' and start it again: it continues from the ledger."
  }
}
