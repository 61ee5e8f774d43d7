import Glibc
import TaktCore
import TaktTesting
import TaktTime
import Testing

@testable import TaktConfig

/// Changes since a set of jobs was read, as the status shows them.
@Suite struct FilesReadTests {
  private let folder = TemporaryFolder()

  /// A jobs file that includes a folder, as it is read now.
  private func read() -> FilesRead {
    let include = "include: [conf.d/*.yaml]\n"
    folder.write("\(include)jobs: {b: {every: 1h, run: x}}\n", to: "jobs.yaml")
    folder.makeFolder("conf.d")
    folder.write("jobs: {a: {every: 1h, run: x}}\n", to: "conf.d/a.yaml")
    let loaded = JobsLoader(userID: geteuid()).load(path: folder["jobs.yaml"])
    #expect(loaded.diagnostics == [] && loaded.stamps.count == 2)
    return FilesRead(
      paths: loaded.files, readAt: WallInstant(milliseconds: 0), stamps: loaded.stamps,
      matches: loaded.matches)
  }

  private func setModified(_ name: String, _ seconds: Int) {
    let time = timespec(tv_sec: seconds, tv_nsec: 0)
    utimensat(AT_FDCWD, folder[name], [time, time], 0)
  }

  @Test func `nothing has changed at first, nor by a file that no pattern matches`() {
    let files = read()
    #expect(files.changedPaths == [])
    folder.write("notes", to: "conf.d/notes.txt")
    folder.write("x", to: "jobs.yaml.bak")
    #expect(files.changedPaths == [])
  }

  @Test func `an edit counts whatever time it has`() {
    let files = read()
    folder.write("jobs: {b: {every: 2h, run: x}}\n", to: "jobs.yaml")
    setModified("jobs.yaml", 1_577_836_800)
    #expect(files.changedPaths == [folder["jobs.yaml"]])
  }

  @Test func `a file that is replaced by an older one has changed`() {
    folder.write("jobs: {}\n", to: "old.yaml")
    setModified("old.yaml", 1_577_836_800)
    let files = read()
    rename(folder["old.yaml"], folder["conf.d/a.yaml"])
    #expect(files.changedPaths == [folder["conf.d/a.yaml"]])
  }

  @Test func `a file that a pattern matches only now is one`() {
    let files = read()
    folder.write("jobs: {c: {every: 1h, run: x}}\n", to: "conf.d/c.yaml")
    #expect(files.changedPaths == [folder["conf.d/c.yaml"]])
  }

  @Test func `so is a file that is gone, and one that is a folder by now`() {
    let files = read()
    unlink(folder["conf.d/a.yaml"])
    unlink(folder["jobs.yaml"])
    folder.makeFolder("jobs.yaml")
    #expect(files.changedPaths == [folder["conf.d/a.yaml"], folder["jobs.yaml"]])
  }
}
