import Foundation
import Glibc
import Testing

/// A state folder that is not takt's own is refused with 73, and nothing is made outside it.
@Suite(.ownThreads) struct StateFolderCheckTests {
  private func refusal(in folder: TemporaryFolder) throws -> TaktAnswer {
    try folder.takt("run", "--log-format", "json")
  }

  @Test(arguments: ["ledger.sqlite", "lock"])
  func `a dangling link in the state folder is refused, and its target is not made`(name: String)
    throws
  {
    let folder = try TemporaryFolder("jobs:\n  a: {every: 1h, run: 'true'}\n")
    let state = folder.url.path + "/.takt"
    try #require(mkdir(state, 0o700) == 0)
    try #require(symlink(folder.url.path + "/target", state + "/" + name) == 0)
    let answer = try refusal(in: folder)
    #expect(answer.status == 73)
    #expect(answer.errors.contains("/.takt/\(name) is a symbolic link"), "\(answer.errors)")
    #expect(answer.errors.contains("Remove the link"))
    #expect(access(folder.url.path + "/target", F_OK) != 0)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can make the links of others"))
  func `a link of another user on the way to the state folder leads nowhere`() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.path
    try #require(mkdir(path + "/evil", 0o755) == 0 && mkdir(path + "/real", 0o700) == 0)
    try #require(symlink(path + "/real", path + "/evil/link") == 0)
    lchown(path + "/evil/link", 1001, 1001)
    chown(path + "/evil", 1001, 1001)
    try folder.write("scheduler: {state: evil/link/state}\njobs:\n  a: {every: 1h, run: 'true'}\n")
    let answer = try refusal(in: folder)
    #expect(answer.status == 73)
    #expect(answer.errors.contains("/evil/link is a symbolic link"), "\(answer.errors)")
    #expect(access(path + "/real/state", F_OK) != 0)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give rights to others"))
  func `an access control list that lets others write to a folder above is seen`() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.path + "/open"
    try #require(mkdir(path, 0o775) == 0 && mkdir(path + "/sub", 0o755) == 0)
    try folder.write("jobs: {a: {every: 1h, run: 'true'}}\n", to: "open/sub/jobs.yaml")
    chmod(path, 0o775)
    let check = { try TaktProcess(["check", "open/sub/jobs.yaml"], in: folder).waitForExit() }
    #expect(try check() == 0)
    // Version 2: the owner, user 1001, the group, the mask and others.
    let list = """
      import os, struct
      entries = [(1, 7, -1), (2, 7, 1001), (4, 5, -1), (16, 7, -1), (32, 5, -1)]
      data = struct.pack('<I', 2) + b''.join(struct.pack('<HHi', *entry) for entry in entries)
      os.setxattr('\(path)', 'system.posix_acl_access', data)
      """
    try LocalServer.run("python3", ["-c", list], in: folder)
    #expect(try check() == 78)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can make the files of others"))
  func `a state folder that another user has made is refused, and nothing in it is believed`()
    throws
  {
    let folder = try TemporaryFolder("jobs:\n  a: {every: 1h, run: 'true'}\n")
    let state = folder.url.path + "/.takt"
    try #require(mkdir(state, 0o755) == 0)
    chown(state, 1001, 1001)
    let answer = try refusal(in: folder)
    #expect(answer.status == 73)
    #expect(answer.errors.contains("/.takt is owned by user 1001"), "\(answer.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: state) == [])
  }

  @Test(.enabled(if: geteuid() == 0, "it takes root to mount a volume and to be another user"))
  func `in a volume of a group a daemon keeps its state in a folder of its own`() throws {
    let folder = try TemporaryFolder()
    let volume = folder.url.path + "/volume"
    try #require(mkdir(volume, 0o755) == 0)
    guard mount("none", volume, "tmpfs", 0, "size=4m,mode=2775,gid=2000") == 0 else {
      // This container may not mount.
      return
    }
    defer { umount2(volume, Int32(MNT_DETACH)) }
    chmod(folder.url.path, 0o755)
    try folder.write("scheduler: {state: volume}\njobs:\n  a: {on: start, run: 'true'}\n")
    let asUser = ["--reuid", "1001", "--regid", "1001", "--groups", "2000"]
    let words = asUser + [TaktProcess.executable.path, "run", "--log-format", "json"]
    let takt = try TaktProcess(words, program: "/usr/bin/setpriv", in: folder)
    try takt.line("the end of the run") { $0.job == "a" && $0.to == "ended" }
    #expect(
      takt.lines.contains {
        $0.message?.hasSuffix("takt's state is in \(volume)/takt-state") == true
      })
    // Commands find it there.
    let status = try TaktProcess(
      asUser + [TaktProcess.executable.path, "status"], program: "/usr/bin/setpriv", in: folder)
    #expect(try status.text().contains("a"))
    #expect(status.waitForExit() == 0)
    #expect(try takt.stop() == 0)
    let runs = try TaktProcess(["runs", "a"], in: folder)
    #expect(try runs.text().contains("succeeded"))
    #expect(runs.waitForExit() == 0)
  }
}
