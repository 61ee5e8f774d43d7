import Foundation
import GRDB
import Glibc
import TaktCore
import Testing

@testable import TaktStore

/// Only the owner of the state folder can have made or changed the files that takt reads there.
@Suite struct StateFolderTests {
  /// A folder of a test's own, and a state folder to be in it.
  private final class Place {
    let root: String
    var state: String { root + "/state" }

    init() throws {
      root = FileManager.default.temporaryDirectory.path + "/takt-place-\(UUID().uuidString)"
      try #require(mkdir(root, 0o755) == 0)
      chmod(root, 0o755)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func lock(trusting: Set<UInt32> = []) throws -> StateFolderLock {
      try StateFolderLock(folder: state, holder: "test", trusting: trusting)
    }

    /// The reason for a refusal; nil for none.
    func problem(trusting: Set<UInt32> = []) -> StateFolderProblem? {
      do throws(StateFolderLock.Failure) {
        _ = try StateFolderLock(folder: state, holder: "test", trusting: trusting)
        return nil
      } catch {
        guard case .refused(let problem) = error else { return nil }
        return problem
      }
    }

    func mode(_ path: String) -> mode_t {
      var status = stat()
      return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }
  }

  @Test(arguments: [
    "ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm", "ledger.sqlite-journal", "lock",
    "unwritten", "processes", "token",
  ])
  func `a link in the place of a file is refused, and its target is not made`(name: String) throws {
    let place = try Place()
    try #require(mkdir(place.state, 0o700) == 0)
    let target = place.root + "/target"
    try #require(symlink(target, place.state + "/" + name) == 0)
    let problem = try #require(place.problem())
    #expect(problem.kind == .link)
    #expect(problem.path.hasSuffix("/state/" + name))
    #expect(access(target, F_OK) != 0)
    // A link that leads to a file is refused as well.
    _ = FileManager.default.createFile(atPath: target, contents: nil)
    #expect(place.problem()?.kind == .link)
  }

  @Test func `a link that comes while the ledger is opened is refused there, too`() throws {
    let place = try Place()
    let lock = try place.lock()
    let target = place.root + "/target"
    try #require(symlink(target, place.state + "/ledger.sqlite") == 0)
    #expect(throws: StateFolderProblem.self) { _ = try LedgerFile(folder: lock.folder) }
    #expect(access(target, F_OK) != 0)
    #expect(throws: LedgerArchive.Failure.self) { _ = try LedgerArchive(folder: lock.folder) }
  }

  @Test func `a hard link, a pipe and a file that all may write are refused`() throws {
    let place = try Place()
    try #require(mkdir(place.state, 0o700) == 0)
    let file = place.state + "/ledger.sqlite"
    try #require(mkfifo(file, 0o600) == 0)
    #expect(place.problem()?.kind == .wrongType)
    unlink(file)
    _ = FileManager.default.createFile(atPath: place.root + "/other", contents: nil)
    try #require(link(place.root + "/other", file) == 0)
    #expect(place.problem()?.kind == .hardLinks(2))
    unlink(place.root + "/other")
    chmod(file, 0o666)
    #expect(place.problem()?.kind == .writable(mode: 0o666))
    // As a volume for a group leaves it: made right.
    chmod(file, 0o660)
    #expect(place.problem() == nil)
    #expect(place.mode(file) == 0o640)
  }

  @Test func `a folder that all may write is refused, one of a group is made its owner's`() throws {
    let place = try Place()
    try #require(mkdir(place.state, 0o700) == 0)
    chmod(place.state, 0o777)
    #expect(place.problem()?.kind == .writable(mode: 0o777))
    chmod(place.state, 0o1777)
    #expect(place.problem()?.kind == .writable(mode: 0o1777))
    chmod(place.state, 0o775)
    #expect(try place.lock().wasRestricted)
    #expect(place.mode(place.state) == 0o755)
    #expect(try !place.lock().wasRestricted)
    // One that is in use for something else is not changed.
    unlink(place.state + "/lock")
    _ = FileManager.default.createFile(atPath: place.state + "/other", contents: nil)
    chmod(place.state, 0o775)
    #expect(place.problem()?.kind == .writable(mode: 0o775))
    #expect(place.mode(place.state) == 0o775)
  }

  @Test func `a dangling link in the place of the folder is refused, an own one is followed`()
    throws
  {
    let place = try Place()
    try #require(symlink(place.root + "/real", place.state) == 0)
    #expect(place.problem()?.kind == .link)
    #expect(access(place.root + "/real", F_OK) != 0)
    try #require(mkdir(place.root + "/real", 0o700) == 0)
    #expect(try place.lock().folder == place.state)
    #expect(access(place.root + "/real/lock", F_OK) == 0)
    try Data().write(to: URL(fileURLWithPath: place.root + "/file"))
    unlink(place.state)
    try #require(rename(place.root + "/file", place.state) == 0)
    #expect(place.problem()?.kind == .wrongType)
  }

  @Test func `each refusal says what to do`() {
    for kind: StateFolderProblem.Kind in [
      .link, .wrongType, .owner(7), .writable(mode: 0o777), .hardLinks(2),
    ] {
      for isParent in [false, true] {
        let sentence = StateFolderProblem(path: "/x", kind: kind, isParent: isParent).sentence
        #expect(sentence.hasPrefix("/x "))
        #expect(sentence.contains("'scheduler.state'"))
      }
    }
  }

  // MARK: As root

  private static let isRoot = geteuid() == 0

  @Test(.enabled(if: isRoot, "only root can make the files of others"))
  func `root takes no folder and no file of another user`() throws {
    let place = try Place()
    try #require(mkdir(place.state, 0o700) == 0)
    chown(place.state, 1001, 1001)
    #expect(place.problem()?.kind == .owner(1001))
    chown(place.state, 0, 0)
    let file = place.state + "/ledger.sqlite"
    _ = FileManager.default.createFile(atPath: file, contents: nil)
    chown(file, 1001, 1001)
    #expect(place.problem()?.kind == .owner(1001))
    unlink(file)
    try #require(symlink("/etc", place.root + "/link") == 0)
    lchown(place.root + "/link", 1001, 1001)
    #expect(throws: StateFolderLock.Failure.self) {
      _ = try StateFolderLock(folder: place.root + "/link", holder: "test")
    }
    #expect(access("/etc/lock", F_OK) != 0)
  }

  @Test(.enabled(if: isRoot, "parents are checked as root alone"))
  func `root takes no state folder below one that others can write`() throws {
    let place = try Place()
    chmod(place.root, 0o777)
    let problem = try #require(place.problem())
    #expect(problem.isParent && problem.kind == .writable(mode: 0o777))
    chmod(place.root, 0o1777)
    #expect(place.problem() == nil)
    chmod(place.root, 0o755)
    chown(place.root, 1001, 1001)
    #expect(place.problem()?.kind == .owner(1001))
    // Whose jobs root runs anyway.
    #expect(place.problem(trusting: [1001]) == nil)
  }

  @Test(.enabled(if: isRoot, "it takes root to mount a volume"))
  func `in a volume of a group takt keeps its state in a folder of its own`() throws {
    let place = try Place()
    try #require(mkdir(place.state, 0o755) == 0)
    guard mount("none", place.state, "tmpfs", 0, "size=2m,mode=2775,gid=2000") == 0 else {
      // A container that may not mount.
      return
    }
    defer { umount2(place.state, Int32(MNT_DETACH)) }
    #expect(StateFolderLock.place(of: place.state) == place.state)
    do {
      let lock = try place.lock()
      #expect(lock.folder == place.state + "/takt-state")
      #expect(place.mode(lock.folder) & 0o777 == 0o700)
      #expect(StateFolderLock.place(of: place.state) == lock.folder)
    }
    // As the volume is handed out for the next container.
    chmod(place.state + "/takt-state", 0o2770)
    chmod(place.state + "/takt-state/lock", 0o660)
    #expect(try place.lock().folder == place.state + "/takt-state")
    #expect(place.mode(place.state + "/takt-state") & 0o777 == 0o700)
    #expect(place.mode(place.state + "/takt-state/lock") == 0o640)
  }

  @Test(.enabled(if: isRoot, "it takes root to mount a volume"))
  func `what an earlier version has kept directly in a volume is taken over`() throws {
    let place = try Place()
    try #require(mkdir(place.state, 0o755) == 0)
    guard mount("none", place.state, "tmpfs", 0, "size=4m,mode=2775,gid=2000") == 0 else { return }
    defer { umount2(place.state, Int32(MNT_DETACH)) }
    try OldLedger.make(in: place.state, boot: "this", pid: 4711, ticks: 5)
    chmod(place.state + "/ledger.sqlite", 0o600)
    let lock = try place.lock()
    #expect(lock.folder == place.state + "/takt-state")
    #expect(access(place.state + "/ledger.sqlite", F_OK) != 0)
    #expect(try LedgerArchive(folder: lock.folder).runs(RunQuery()).count == 3)
  }
}
