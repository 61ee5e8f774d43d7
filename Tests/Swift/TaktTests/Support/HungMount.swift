import Foundation
import Glibc
import TestSupport
import Testing

/// A mounted file system that never answers, by Tests/faults/hungfs.c: callers wait in the kernel,
/// where no signal ends them, until it returns or is unmounted.
///
/// Unmounted at the latest when it is released.
final class HungMount {
  let path: String
  private let folder: TemporaryFolder
  private let server: TaktProcess
  private var isMounted = true

  /// True if the machine can mount one: for `.enabled(if:)`.
  static var isAvailable: Bool { geteuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0 }
  static let condition: Comment = "a file system that never answers takes root and /dev/fuse"

  /// Mounts it over a folder of its own.
  ///
  /// - Parameters:
  ///   - names: entries that can be examined but not opened; a folder's ends in a slash. The
  ///     look-up of another name never returns.
  ///   - isUnresponsive: true if not even its root and these names can be examined.
  init(_ names: [String] = [], isUnresponsive: Bool = false) throws {
    folder = try TemporaryFolder()
    let source = Repository.path("Tests/faults/hungfs.c")
    let compiler = try TaktProcess(["-O2", "-o", "hungfs", source], program: "cc", in: folder)
    try #require(compiler.waitForExit() == 0, "cc is needed: \(compiler.errors)")
    path = folder.url.appendingPathComponent("mount").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let program = folder.url.appendingPathComponent("hungfs").path
    server = try TaktProcess(
      (isUnresponsive ? ["--deaf"] : []) + [path] + names, program: program, in: folder)
    try server.line("the mount") { $0.event == "mounted" }
  }

  deinit { unmount() }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Returns when a call that has not been awaited before waits for an answer.
  func awaitHeldCall() throws { try server.line("a call that hangs") { $0.event == "held" } }

  /// Answers again: calls that wait, and later ones, get "no such file", except that the root and
  /// the names can be examined.
  func comeBack() { server.signal(SIGUSR1) }

  /// Hangs again after `comeBack`.
  func hangAgain() { server.signal(SIGUSR2) }

  /// Ends all waiting calls with an error. Once is enough.
  func unmount() {
    guard isMounted else { return }
    isMounted = false
    server.signal(SIGTERM)
    _ = server.waitForExit()
    // If the server was killed, its mount remains.
    umount2(path, Int32(MNT_DETACH) | 8)
  }
}
