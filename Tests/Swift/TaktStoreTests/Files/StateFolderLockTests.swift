import Foundation
import Glibc
import Testing

@testable import TaktStore

@Suite struct StateFolderLockTests {
  private func folder() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("takt-lock-\(UUID().uuidString)")
      .path
  }

  @Test func `the second daemon learns who has the folder, and gets it afterwards`() throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var first: StateFolderLock? = try StateFolderLock(folder: folder, holder: "the first, pid 1")
    #expect(throws: StateFolderLock.Failure.held(by: "the first, pid 1")) {
      _ = try StateFolderLock(folder: folder, holder: "the second")
    }
    // Nor if the file was removed, once the first has noticed.
    unlink(folder + "/lock")
    try first?.ensure()
    #expect(throws: StateFolderLock.Failure.held(by: "the first, pid 1")) {
      _ = try StateFolderLock(folder: folder, holder: "the second")
    }
    first = nil
    _ = try StateFolderLock(folder: folder, holder: "the second")
  }

  @Test func `what a killed daemon was starting lets go of the folder in time`() throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let dead = try Process.run(URL(filePath: "/bin/true"), arguments: [])
    dead.waitUntilExit()
    let holder = "takt 1, pid \(dead.processIdentifier), since x"
    _ = try StateFolderLock(folder: folder, holder: holder)
    // It has the lock before it lives half a second more.
    let child = Process()
    let ready = Pipe()
    child.executableURL = URL(filePath: "/usr/bin/flock")
    child.arguments = [folder + "/lock", "sh", "-c", "echo; exec sleep 0.5"]
    child.standardOutput = ready
    try child.run()
    _ = ready.fileHandleForReading.readData(ofLength: 1)
    _ = try StateFolderLock(folder: folder, holder: "the next")
    child.waitUntilExit()
  }

  @Test func `a folder that cannot be made is said with the system's reason`() {
    #expect(throws: StateFolderLock.Failure.unwritable(errno: ENOENT)) {
      _ = try StateFolderLock(folder: "/nowhere/at/all", holder: "x")
    }
  }

  @Test func `the folder and the lock are for their owner alone`() throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let lock = try StateFolderLock(folder: folder, holder: "x")
    for (path, mode) in [(folder, 0o700), (folder + "/lock", 0o600)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect((attributes[.posixPermissions] as? Int) == mode)
    }
    _ = lock
  }
}
