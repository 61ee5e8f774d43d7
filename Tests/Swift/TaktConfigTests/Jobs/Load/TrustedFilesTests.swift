import Glibc
import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig

/// Every file that a load opens, against everything that another user can do to it.
@Suite(.enabled(if: geteuid() == 0, "files of other users take root")) struct TrustedFilesTests {
  /// The way in which a jobs file names a file.
  enum Named: String, CaseIterable {
    case main, include, pattern, list, calendar, environment, manifest, program

    /// The jobs file, and the path of the file that it names.
    var jobs: (text: String, path: String) {
      switch self {
      case .main: ("jobs: {a: {on: start, run: x}}\n", "k/f")
      case .include: ("include: k/f\njobs: {a: {on: start, run: x}}\n", "k/f")
      case .pattern: ("include: 'k/*'\njobs: {a: {on: start, run: x}}\n", "k/f")
      case .list: ("jobs: {a: {for_each: {v: {file: k/f}}, on: start, run: x}}\n", "k/f")
      case .calendar:
        ("calendars: {c: {file: k/f}}\njobs: {a: {on: start, run: x}}\n", "k/f")
      case .environment: ("jobs: {a: {on: start, run: x, env_file: k/f}}\n", "k/f")
      case .manifest: ("jobs: {a: {on: start, use: p}}\n", "plugins/p/plugin.yaml")
      case .program: ("jobs: {a: {on: start, use: p}}\n", "plugins/p/bin/f")
      }
    }

    var text: String {
      switch self {
      case .main: jobs.text
      case .include, .pattern: "jobs: {b: {on: start, run: x}}\n"
      case .list: "one\n"
      case .calendar:
        """
        BEGIN:VCALENDAR
        VERSION:2.0
        BEGIN:VEVENT
        UID:1
        DTSTART;VALUE=DATE:20991225
        END:VEVENT
        END:VCALENDAR

        """
      case .environment: "A=b\n"
      case .manifest: "name: p\nversion: 1.0.0\nprotocol: 1\nexec: [cat]\n"
      case .program: "#!/bin/sh\n"
      }
    }
  }

  /// The change of the file, or of its place.
  enum Change: String, CaseIterable {
    case nothing, owner, groupWritable, worldWritable
    case linkOfRoot, linkOfStranger, hardLink
    case folderOwner, openFolder, folderAbove
    case pipe, device, folder
  }

  private static let stranger: uid_t = 47_321

  /// A folder with one such file, changed.
  private final class World {
    let place = TemporaryFolder()
    let main: String

    init(_ named: Named, _ change: Change) {
      chmod(place.path, 0o755)
      for folder in ["k", "plugins", "plugins/p", "plugins/p/bin"] { place.makeFolder(folder) }
      let (text, path) = named.jobs
      main = place[named == .main ? path : "jobs.yaml"]
      if named == .program {
        place.write(
          "name: p\nversion: 1.0.0\nprotocol: 1\nexec: [bin/f]\n", to: "plugins/p/plugin.yaml")
      }
      if named != .main { place.write(text, to: "jobs.yaml") }
      place.write(Array(named.text.utf8), to: path, mode: 0o755)
      apply(change, to: place[path])
    }

    private func apply(_ change: Change, to file: String) {
      let folder = FilePath.folder(of: file)
      let stranger = TrustedFilesTests.stranger
      switch change {
      case .nothing: break
      case .owner: chown(file, stranger, 0)
      case .groupWritable: chmod(file, 0o775)
      case .worldWritable: chmod(file, 0o757)
      case .linkOfRoot, .linkOfStranger:
        rename(file, place["moved"])
        place.makeLink(String(file.dropFirst(place.path.count + 1)), to: place["moved"])
        if change == .linkOfStranger { lchown(file, stranger, 0) }
      case .hardLink:
        rename(file, place["moved"])
        link(place["moved"], file)
        chown(folder, stranger, 0)
      case .folderOwner: chown(folder, stranger, 0)
      case .openFolder: chmod(folder, 0o777)
      case .folderAbove: chown(place.path, stranger, 0)
      case .pipe:
        unlink(file)
        mkfifo(file, 0o755)
      case .device:
        unlink(file)
        symlink("/dev/null", file)
      case .folder:
        unlink(file)
        mkdir(file, 0o755)
      }
    }

    deinit {
      unlink(place["moved"])
      for path in [main, place["k/f"], place["plugins/p/plugin.yaml"], place["plugins/p/bin/f"]]
      where unlink(path) != 0 { rmdir(path) }
    }

    func load(asRoot: Bool, memory: LoadMemory? = nil) -> LoadedJobs {
      JobsLoader(accounts: TestAccounts(own: "root"), refusesWritableByOthers: asRoot).load(
        path: main, memory: memory)
    }
  }

  private static func isUsed(_ named: Named, _ change: Change, asRoot: Bool) -> Bool {
    switch change {
    case .nothing, .linkOfRoot: true
    // The user who started takt has named it; a warning reports it.
    case .owner: !asRoot || named == .main
    case .groupWritable, .worldWritable, .linkOfStranger, .hardLink, .folderOwner, .openFolder,
      .folderAbove:
      !asRoot
    case .pipe, .device, .folder: false
    }
  }

  @Test(arguments: Named.allCases, Change.allCases)
  func `a file that others could have put there is refused as root, and as nobody else`(
    named: Named, change: Change
  ) {
    for asRoot in [true, false] {
      let loaded = World(named, change).load(asRoot: asRoot)
      #expect(
        (loaded.snapshot != nil) == Self.isUsed(named, change, asRoot: asRoot),
        "\(asRoot ? "root" : "user"): \(loaded.diagnostics.map(\.text))")
    }
  }

  @Test(arguments: [Named.main, .include, .list, .calendar, .environment])
  func `a file that another user owns since it was loaded is refused at a reload`(named: Named) {
    let world = World(named, .nothing)
    let file = world.place[named.jobs.path]
    let memory = LoadMemory()
    #expect(world.load(asRoot: true, memory: memory).snapshot != nil)
    chown(file, Self.stranger, 0)
    let refused = world.load(asRoot: true, memory: memory)
    #expect(refused.snapshot == nil)
    // At any load, files other than the main one may belong only to root or to the owner of the
    // jobs file.
    if named == .main || named == .environment {
      #expect(
        refused.diagnostics.contains { $0.message.contains("user 0 owned it when takt loaded it") })
    }
    #expect(refused.diagnostics.contains { $0.hint == "run: chown root \(file)" })
    chown(file, 0, 0)
    #expect(world.load(asRoot: true, memory: memory).snapshot != nil)
  }

  @Test func `the owner of the jobs file may own what it names`() {
    for named in [Named.include, .pattern, .list, .calendar, .manifest, .program] {
      let world = World(named, .nothing)
      let file = world.place[named.jobs.path]
      chown(world.main, Self.stranger, 0)
      chown(file, Self.stranger, 0)
      let loaded = world.load(asRoot: true)
      #expect(loaded.snapshot != nil, "\(named): \(loaded.diagnostics.map(\.text))")
      // A file of root in a folder of that user is refused: it could be replaced.
      chown(file, 0, 0)
      chown(FilePath.folder(of: file), Self.stranger, 0)
      #expect(world.load(asRoot: true).snapshot == nil, "\(named)")
    }
  }
}
