import Glibc
import Testing

/// The file system that never answers, on which other tests rely.
@Suite(.ownThreads) struct HungMountTests {
  @Test(.enabled(if: HungMount.isAvailable, HungMount.condition))
  func `a caller waits until the file system returns, and others are let go by its end`() throws {
    let mount = try HungMount(["file", "folder/"])
    let folder = try TemporaryFolder()
    for name in ["file", "folder"] {
      let caller = try TaktProcess([mount.path(name)], program: "stat", in: folder)
      #expect(caller.waitForExit() == 0)
    }
    let first = try TaktProcess([mount.path("file")], program: "cat", in: folder)
    try mount.awaitHeldCall()
    mount.comeBack()
    #expect(first.waitForExit() == 1)
    #expect(first.errors.contains("No such file"))

    mount.hangAgain()
    let second = try TaktProcess([mount.path("other")], program: "stat", in: folder)
    try mount.awaitHeldCall()
    second.signal(SIGKILL)
    mount.unmount()
    #expect(second.waitForExit() == -SIGKILL)
  }
}
