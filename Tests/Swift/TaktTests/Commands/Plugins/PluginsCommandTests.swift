import Foundation
import Testing

/// `takt plugins`, as a user meets it.
@Suite(.ownThreads) struct PluginsCommandTests {
  private func run(
    _ arguments: String..., in folder: TemporaryFolder
  ) throws -> (status: Int32, output: String, errors: String) {
    let takt = try TaktProcess(["plugins"] + arguments, in: folder)
    let output = try takt.text()
    return (takt.waitForExit(), output, takt.errors)
  }

  private static let repository = CommandTests.example.deletingLastPathComponent()

  @Test(arguments: ["sh", "python"])
  func `a new plugin works, and its conversation is shown`(language: String) throws {
    let folder = try TemporaryFolder()
    #expect(try run("new", "mine", "--lang", language, in: folder).status == 0)
    let check = try run("check", in: folder)
    #expect(check.status == 0 && check.output == "mine: ok\n", "\(check.errors)")
    let test = try run("test", "mine", "--with", "who=you", in: folder)
    #expect(test.status == 0, "\(test.errors)")
    #expect(test.output == "hello you\n")
    #expect(test.errors.contains("→ {\"attempt\":1"))
    #expect(test.errors.contains("← {"))
    #expect(try run("new", "mine", in: folder).status == 64)
  }

  @Test func `the working folder of a try may be called anything`() throws {
    let folder = try TemporaryFolder()
    #expect(try run("new", "mine", "--lang", "sh", in: folder).status == 0)
    let odd = "x\n    on_start: {run: \"touch ../touched\"}\n    description: \"\\ 'a'"
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent(odd), withIntermediateDirectories: true)
    let takt = try TaktProcess(
      [
        "-c", "cd \"$1\" && exec \"$2\" plugins test mine --folder \"$3/plugins\" --with who=you",
        "sh",
        odd, TaktProcess.executable.path, folder.url.path,
      ], program: "/bin/sh", in: folder)
    #expect(try takt.text() == "hello you\n")
    #expect(takt.waitForExit() == 0, "\(takt.errors)")
    #expect(!FileManager.default.fileExists(atPath: "\(folder.url.path)/touched"))
  }

  @Test func `a service is tried as well, and its failure is the exit status`() throws {
    let folder = try TemporaryFolder()
    let plugins = Self.repository.appendingPathComponent("plugins").path
    let good = try run("test", "swift-hello", "--folder", plugins, "--with", "who=me", in: folder)
    #expect(good.status == 0, "\(good.errors)")
    #expect(good.errors.contains("greeted me"))
    let late = try run(
      "test", "swift-hello", "--folder", plugins, "--with", "pause=1m", "--timeout", "3s",
      in: folder)
    #expect(late.status == 124, "\(late.errors)")
    #expect(late.errors.contains("\"reason\":\"timeout\""))
    let wrong = try run(
      "test", "swift-hello", "--folder", plugins, "--with", "pause=2h", in: folder)
    #expect(wrong.status == 78)
    #expect(wrong.errors.contains("'pause' must be at most 1m"), "\(wrong.errors)")
  }

  @Test func `those that come with takt are right`() throws {
    let folder = try TemporaryFolder()
    let plugins = Self.repository.appendingPathComponent("plugins").path
    let list = try run("list", "--folder", plugins, in: folder)
    #expect(list.output.split(separator: "\n").count == 7)
    let check = try run("check", "--folder", plugins, in: folder)
    #expect(check.status == 0, "\(check.errors)")
    let show = try run("show", "disk-usage", "--folder", plugins, in: folder)
    #expect(show.output.contains("critical  percent, default 90%"), "\(show.output)")
  }

  @Test func `a mistake in a manifest is shown with a caret`() throws {
    let folder = try TemporaryFolder()
    _ = try run("new", "mine", in: folder)
    try folder.write(
      folder.read("plugins/mine/plugin.yaml") + "mdoe: service\n", to: "plugins/mine/plugin.yaml")
    let result = try run("check", "mine", in: folder)
    #expect(result.status == 78)
    #expect(result.errors.contains("unknown key 'mdoe'"))
    #expect(result.errors.contains("did you mean 'mode'?"))
    #expect(result.errors.contains("  mdoe: service\n  ^"))
    #expect(try run("show", "mind", in: folder).errors.contains("did you mean 'mine'?"))
  }

  @Test func `the example in the protocol's document works as it stands`() throws {
    let text = try String(
      contentsOf: Self.repository.appendingPathComponent("plugins/PROTOCOL.md"), encoding: .utf8)
    func fence(_ language: String) throws -> [String] {
      text.components(separatedBy: "```\(language)\n").dropFirst()
        .compactMap { $0.components(separatedBy: "```").first }
    }
    let folder = try TemporaryFolder()
    let place = folder.url.appendingPathComponent("plugins/hello")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try folder.write(try #require(fence("yaml").first), to: "plugins/hello/plugin.yaml")
    let programs = try fence("sh")
    #expect(programs.count == 2)
    for (program, status) in zip(programs, [Int32(0), 1]) {
      try folder.writeProgram(program, to: "plugins/hello/hello")
      #expect(try run("test", "hello", in: folder).status == status)
    }
  }
}
