import Glibc

/// The shell at `/bin/sh`, if its behavior is known well enough to start programs without it.
///
/// That behavior, for `sh -c` and a text of plain words, was observed with dash 0.5.12 of Debian
/// and bash 5.2, and read in the sources of bash 5.0 to 5.3.
package enum StandardShell: CaseIterable, Sendable {
  /// Debian's, which waits for its command. The one of other distributions executes it in its own place.
  case dash
  /// From 5.0 on: the ones before count themselves in `SHLVL`.
  case bash

  /// Looked up once. A daemon keeps to it when the system gets another shell.
  package static let installed = StandardShell(at: "/bin/sh", isDebian: isDebian)

  private static var isDebian: Bool { access("/etc/debian_version", F_OK) == 0 }
  private static let programBytesMax = 8 << 20

  /// The shell at a path, by the name of the program that it leads to.
  package init?(at path: String, isDebian: Bool) {
    guard let program = SmallFile.realPath(path) else { return nil }
    switch program.split(separator: "/").last {
    case "dash" where isDebian: self = .dash
    case "bash" where Self.isBash5(program): self = .bash
    default: return nil
    }
  }

  /// Finds the version that each program of bash has in it for `what`.
  private static func isBash5(_ program: String) -> Bool {
    guard let bytes = try? SmallFile.read(program, bytesMax: programBytesMax) else { return false }
    return bytes.holds(Array("@(#)Bash version 5.".utf8))
  }

  /// True if it waits for its command, and reports a signal that ended it.
  package var waits: Bool { self == .dash }
}
