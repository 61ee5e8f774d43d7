import Foundation
import Glibc
import Testing

/// `takt init`, and an installed takt.
@Suite(.ownThreads) struct InitTests {
  /// The program in a folder of its own, with the layout of `make install`.
  private func install(in folder: TemporaryFolder) throws -> String {
    let bin = folder.url.appendingPathComponent("usr/bin")
    try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
    let program = bin.appendingPathComponent("takt")
    if link(TaktProcess.executable.path, program.path) != 0 {
      try FileManager.default.copyItem(at: TaktProcess.executable, to: program)
    }
    return program.path
  }

  @Test func `the file that init writes can be run as it is`() throws {
    let folder = try TemporaryFolder()
    let empty = try folder.takt(["run"])
    #expect(empty.status == 78)
    #expect(
      empty.errors
        == "takt: there is no jobs.yaml in this folder; create one with `takt init`, or name "
        + "another file\n")

    let first = try folder.takt(["init"])
    #expect(first.status == 0, "\(first.errors)")
    #expect(
      first.output == """
        Wrote jobs.yaml. Next:
          takt check    # check it
          takt next     # see when its jobs will run
          takt run      # run them; Ctrl-C stops

        """)
    #expect(
      folder.read("jobs.yaml").hasPrefix("# yaml-language-server: $schema=jobs.schema.json\n"))
    let schema = try folder.takt(["schema"])
    #expect(folder.read("jobs.schema.json") == schema.output)
    #expect(try folder.takt(["check", "--strict"]).output == "jobs.yaml: ok, 1 job\n")
    let takt = try TaktProcess(["run"], in: folder)
    try takt.line("a run") { $0.job == "hello" && $0.outcome == "succeeded" }

    try folder.write("jobs: {}\n")
    let second = try folder.takt(["init"])
    #expect(second.status == 64)
    #expect(second.errors == "takt: jobs.yaml already exists; it is not changed\n")
    #expect(folder.read("jobs.yaml") == "jobs: {}\n")
  }

  @Test func `each example in its comments is right`() throws {
    let folder = try TemporaryFolder()
    _ = try folder.takt(["init", "my jobs.yaml"])
    // A comment whose text has a colon, or continues such a text, is an example.
    let lines = folder.read("my jobs.yaml").components(separatedBy: "\n").map { line in
      line.replacing(#/^( *)# ( *[a-z_]+:( .*)?)$/#) { "\($0.1)\($0.2)" }
    }.filter { !$0.hasPrefix("yaml-language-server") }
    try folder.write(lines.joined(separator: "\n"))
    let check = try folder.takt(["check"])
    #expect(check.output.hasPrefix("jobs.yaml: ok, 3 jobs"), "\(check.errors)")
  }

  @Test func `a name with a space is quoted, and a folder that is not there is an error`() throws {
    let folder = try TemporaryFolder()
    #expect(try folder.takt(["init", "my jobs.yaml"]).output.contains("takt next 'my jobs.yaml' "))
    let nowhere = try folder.takt(["init", "none/jobs.yaml"])
    #expect(nowhere.status == 74)
    #expect(nowhere.errors == "takt: cannot write none/jobs.yaml: No such file or directory\n")
    #expect(try folder.takt(["init", "--", "-x.yaml"]).output.contains("takt next ./-x.yaml "))
  }

  /// The names in a folder, except those of files with a program's standard error.
  private func names(in folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      .filter { !$0.hasPrefix("stderr-") }.sorted()
  }

  @Test func `what init refuses leaves nothing behind`() throws {
    let folder = try TemporaryFolder("jobs: {}\n")
    #expect(try folder.takt(["init"]).status == 64)
    #expect(try names(in: folder) == ["jobs.yaml"])

    let linked = try TemporaryFolder()
    symlink("nowhere", linked.url.appendingPathComponent("jobs.yaml").path)
    #expect(
      try linked.takt(["init"]).errors == "takt: jobs.yaml already exists; it is not changed\n")
    #expect(try names(in: linked) == ["jobs.yaml"])
  }

  @Test(
    .enabled(if: geteuid() == 0, "mounting takes root"),
    arguments: [
      ("size=4k", "jobs.schema.json: No space left on device"),
      ("nr_inodes=2", "jobs.schema.json: No space left on device"),
      ("ro", "jobs.yaml: Read-only file system"),
    ])
  func `init in a full or read-only folder says so, and leaves no half of a file`(
    options: String, words: String
  ) throws {
    let folder = try TemporaryFolder()
    let script = """
      mount -t tmpfs -o "$1" tmpfs . && cd "$PWD" || exit 99
      "$2" init; status=$?; ls -A; exit $status
      """
    let shell = try TaktProcess(
      ["--mount", "sh", "-c", script, "sh", options, TaktProcess.executable.path],
      program: "/usr/bin/unshare", in: folder)
    #expect(try shell.text().isEmpty)
    #expect(shell.waitForExit() == 74)
    #expect(shell.errors == "takt: cannot write \(words)\n")
  }

  @Test func `of two at once one writes the file, and the other says that it is there`() throws {
    let folder = try TemporaryFolder()
    let both = try (0..<8).map { _ in try TaktProcess(["init"], in: folder) }
    let statuses = both.map { $0.waitForExit() }
    #expect(statuses.filter { $0 == 0 }.count == 1 && statuses.filter { $0 == 64 }.count == 7)
    #expect(try folder.takt(["check", "--strict"]).output == "jobs.yaml: ok, 1 job\n")
    #expect(try folder.read("jobs.schema.json") == folder.takt(["schema"]).output)
  }

  @Test func `a folder in the place of the schema is named`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent("jobs.schema.json"), withIntermediateDirectories: false)
    let takt = try folder.takt(["init"])
    #expect(takt.status == 0)
    #expect(
      takt.errors == "takt: warning: jobs.schema.json already exists and is not a file, so editors "
        + "find no schema\n")
  }

  @Test func `installed plugins are found after those beside the file`() throws {
    let folder = try TemporaryFolder()
    let takt = try install(in: folder)
    let installed = "usr/lib/takt/plugins"
    for name in ["greet", "other"] {
      _ = try folder.takt(["plugins", "new", name, "--folder", installed])
    }
    try folder.write("jobs: {a: {every: 1h, use: greet, with: {who: you}}}\n")
    #expect(try folder.takt(["check"], program: takt).output == "jobs.yaml: ok, 1 job\n")
    // The same program in another folder does not know them.
    #expect(try folder.takt(["check"]).errors.contains("no built-in or plugin 'greet'"))

    _ = try folder.takt(["plugins", "new", "greet"])
    try folder.write(
      folder.read("plugins/greet/plugin.yaml").replacing("version: 0.1.0", with: "version: 2.0.0"),
      to: "plugins/greet/plugin.yaml")
    let list = try folder.takt(["plugins", "list"], program: takt)
    #expect(
      list.output.split(separator: "\n").map { $0.split(separator: " ").prefix(2) }
        == [["greet", "2.0.0"], ["other", "0.1.0"]])
    // Folders that the file names come first, in addition.
    try folder.write("scheduler: {plugins: plugins}\njobs: {a: {every: 1h, use: other}}\n")
    #expect(try folder.takt(["check"], program: takt).output.hasPrefix("jobs.yaml: ok, 1 job"))
  }

  @Test func `an installed schema is named by its path`() throws {
    let folder = try TemporaryFolder()
    let takt = try install(in: folder)
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent("usr/share/takt"), withIntermediateDirectories: true)
    try folder.write("{}", to: "usr/share/takt/jobs.schema.json")
    _ = try folder.takt(["init"], program: takt)
    let line = folder.read("jobs.yaml").prefix { $0 != "\n" }
    #expect(line.hasSuffix("/usr/share/takt/jobs.schema.json"))
    #expect(folder.read("jobs.schema.json").isEmpty)
  }

  @Test func `the schema in the repository is that of the program`() throws {
    let folder = try TemporaryFolder()
    let schema = CommandTests.example.deletingLastPathComponent()
      .appendingPathComponent("docs/schemas/jobs.schema.json")
    #expect(
      try String(contentsOf: schema, encoding: .utf8) == folder.takt(["schema"]).output,
      "run: make schema")
  }

  @Test func `the version is available with its libraries`() throws {
    let folder = try TemporaryFolder()
    let version = try folder.takt(["--version"])
    let json = try folder.takt(["--version", "--json"])
    struct Report: Decodable {
      var version: String
      var libraries: [String: String]
    }
    let report = try JSONDecoder().decode(Report.self, from: Data(json.output.utf8))
    #expect(report.version + "\n" == version.output)
    #expect(report.libraries["sqlite"]?.hasPrefix("3.") == true)
    #expect(report.libraries["libyaml"]?.hasPrefix("0.") == true)
    #expect(report.libraries["glibc"]?.hasPrefix("2.") == true)
  }
}
