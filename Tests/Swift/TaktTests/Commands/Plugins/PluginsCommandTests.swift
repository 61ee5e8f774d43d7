import Foundation
import Testing

@Suite(.ownThreads) struct PluginsCommandTests {
  private static let repository = CommandTests.example.deletingLastPathComponent()

  @Test(arguments: ["sh", "python"])
  func `a new plugin works, and its conversation is shown`(language: String) throws {
    let folder = try TemporaryFolder()
    #expect(try folder.takt("plugins", "new", "mine", "--lang", language).status == 0)
    let check = try folder.takt("plugins", "check")
    #expect(check.status == 0 && check.output == "mine: ok\n", "\(check.errors)")
    let test = try folder.takt("plugins", "test", "mine", "--with", "who=you")
    #expect(test.status == 0, "\(test.errors)")
    #expect(test.output == "hello you\n")
    #expect(test.errors.contains("→ {\"attempt\":1"))
    #expect(test.errors.contains("← {"))
    #expect(try folder.takt("plugins", "new", "mine").status == 64)
  }

  @Test func `the working folder of a try may be called anything`() throws {
    let folder = try TemporaryFolder()
    #expect(try folder.takt("plugins", "new", "mine", "--lang", "sh").status == 0)
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
    let good = try folder.takt(
      "plugins", "test", "swift-hello", "--folder", plugins, "--with", "who=me")
    #expect(good.status == 0, "\(good.errors)")
    #expect(good.errors.contains("greeted me"))
    let late = try folder.takt(
      "plugins", "test", "swift-hello", "--folder", plugins, "--with", "pause=1m", "--timeout", "3s"
    )
    #expect(late.status == 124, "\(late.errors)")
    #expect(late.errors.contains("\"reason\":\"timeout\""))
    let wrong = try folder.takt(
      "plugins", "test", "swift-hello", "--folder", plugins, "--with", "pause=2h")
    #expect(wrong.status == 78)
    #expect(wrong.errors.contains("'pause' must be at most 1m"), "\(wrong.errors)")
  }

  @Test func `those that come with takt are right`() throws {
    let folder = try TemporaryFolder()
    let plugins = Self.repository.appendingPathComponent("plugins").path
    let list = try folder.takt("plugins", "list", "--folder", plugins)
    #expect(list.output.split(separator: "\n").count == 8)
    let check = try folder.takt("plugins", "check", "--folder", plugins)
    #expect(check.status == 0, "\(check.errors)")
    let show = try folder.takt("plugins", "show", "disk-usage", "--folder", plugins)
    #expect(show.output.contains("critical  percent, default 90%"), "\(show.output)")
  }

  @Test func `a mistake in a manifest is shown with a caret`() throws {
    let folder = try TemporaryFolder()
    _ = try folder.takt("plugins", "new", "mine")
    try folder.write(
      folder.read("plugins/mine/plugin.yaml") + "mdoe: service\n", to: "plugins/mine/plugin.yaml")
    let result = try folder.takt("plugins", "check", "mine")
    #expect(result.status == 78)
    #expect(result.errors.contains("unknown key 'mdoe'"))
    #expect(result.errors.contains("did you mean 'mode'?"))
    #expect(result.errors.contains("  mdoe: service\n  ^"))
    #expect(try folder.takt("plugins", "show", "mind").errors.contains("did you mean 'mine'?"))
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
      #expect(try folder.takt("plugins", "test", "hello").status == status)
    }
    // The request, and the job that uses it.
    let request = try fence("yaml").dropFirst()
    let tickets = folder.url.appendingPathComponent("plugins/tickets")
    try FileManager.default.createDirectory(at: tickets, withIntermediateDirectories: true)
    try folder.write(try #require(request.first), to: "plugins/tickets/plugin.yaml")
    try folder.write(try #require(request.dropFirst().first))
    let check = try folder.takt("check")
    #expect(check.status == 0, "\(check.errors)")
    let show = try folder.takt("plugins", "show", "tickets")
    #expect(show.output.contains("request   POST {{param.url}}/api/tickets"), "\(show.output)")
  }
}
