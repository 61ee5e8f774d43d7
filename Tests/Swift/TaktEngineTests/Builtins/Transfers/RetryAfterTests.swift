import TaktCore
import TaktTime
import TaktTesting
import Testing

@testable import TaktEngine

/// A busy server sends a delay, and `http`, `ping` and `notify` wait for it.
@Suite struct RetryAfterTests {
  private struct Seen: Decodable {
    /// Seconds since the request before of the same URL.
    var waited: Double
  }

  static let builtins = ["http", "ping", "notify"]

  private let folder = TemporaryFolder()
  private let server: PythonServer
  private let bench: BuiltinBench

  init() throws {
    server = try PythonServer(WebServer.script, [folder["seen"]], folder: folder)
    bench = try BuiltinBench()
  }

  private func parameters(_ name: String, _ path: String) -> Parameters {
    let url = ParameterValue.string("http://127.0.0.1:\(server.port)\(path)")
    return switch name {
    case "http": ["url": url, "retry_status": .list(["429", "5xx"])]
    case "ping": ["url": url]
    default: ["to": "slack", "url": url]
    }
  }

  private func waits() throws -> [Double] {
    try (folder.values(of: "seen") as [Seen]).map(\.waited)
  }

  /// Without the header the second try comes after one second.
  @Test(arguments: builtins, ["/busy/429/2", "/busy/503/2", "/busy/503/date"])
  func `the next try comes when the server wants it`(name: String, path: String) async throws {
    #expect(await bench.run(name, parameters(name, path)) == .done)
    let waits = try waits()
    #expect(waits.count == 2 && waits[1] >= 1.9, "\(waits)")
  }

  @Test(arguments: builtins)
  func `a wait that is too long is not begun, and the reason says so`(name: String) async throws {
    let result = await bench.run(name, parameters(name, "/busy/429/3600"))
    #expect(result == .failed("retry_after(3600)"))
    #expect(bench.lines.texts.last == "the server asks for a wait of 1h, which is longer than 5m")
    #expect(try waits().count == 1)
  }

  @Test(arguments: builtins)
  func `a wait that the timeout of the run would cut is not begun`(name: String) async throws {
    var request = bench.request(name, parameters(name, "/busy/503/60"))
    request.deadline = SystemTimeSource().monotonic + .seconds(50)
    bench.router.start([request])
    #expect(await bench.ends(1)[0].report.result == .failed("retry_after(60)"))
    let line = try #require(bench.lines.texts.last)
    #expect(line.hasPrefix("the server asks for a wait of 1m, which is longer than the "))
    #expect(line.hasSuffix(" s that the run's timeout leaves"))
  }

  /// Delays that no server means, and one that only 429 and 503 mean.
  @Test(arguments: builtins, ["/busy/429/soon", "/busy/429/-5", "/busy/500/3600"])
  func `what asks for no wait changes nothing`(name: String, path: String) async throws {
    #expect(await bench.run(name, parameters(name, path)) == .done)
    #expect(try waits().count == 2)
  }

  @Test func `without another try no wait is too long`() async {
    var parameters = parameters("ping", "/busy/429/3600")
    parameters["retries"] = .integer(0)
    #expect(await bench.run("ping", parameters) == .failed("status(429)"))
  }
}
