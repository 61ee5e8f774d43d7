import TaktCore
import TaktTesting
import Testing

@testable import TaktEngine

/// The output of built-ins, which follows the job's `output` like a command's.
@Suite struct BuiltinOutputTests {
  /// Logs its lines, and fails if `fails` is set.
  private struct Speaker: LongBuiltin {
    let name = "speak"
    let summary = "speaks"
    let parameters = [
      ParameterSchema("lines", .list(.string), reaches: .nothing, summary: "what is said"),
      ParameterSchema(
        "fails", .boolean, reaches: .nothing, default: .boolean(false), summary: "how it ends"),
    ]
    let reasons: [BuiltinReason] = []

    func traits(with parameters: Parameters) -> ActionTraits { [] }

    func run(_ call: BuiltinCall) -> BuiltinEnd {
      for line in call.texts("lines") { call.log(line, .notice) }
      return call.flag("fails") ? .failed("told") : .done
    }
  }

  private let folder = TemporaryFolder()
  private let bench: BuiltinBench

  init() throws {
    bench = try BuiltinBench(BuiltinRegistry([Speaker(), LogBuiltin()]))
  }

  private func speak(
    _ lines: [String], fails: Bool = false, _ policy: OutputPolicy
  ) async -> OutputFacts {
    let parameters: Parameters = [
      "lines": .list(lines.map { .string($0) }), "fails": .boolean(fails),
    ]
    bench.router.start([bench.request("speak", parameters) { $0.execution.output = policy }])
    return await bench.ends(1)[0].report.output
  }

  private func log(_ message: String, _ policy: OutputPolicy) async -> OutputFacts {
    let parameters: Parameters = ["message": .string(message)]
    bench.router.start([bench.request("log", parameters) { $0.execution.output = policy }])
    return await bench.ends(1)[0].report.output
  }

  private var file: OutputFile { OutputFile(path: folder["out"]) }

  @Test func `a file gets what a log and what a long built-in say`() async {
    _ = await log("one", OutputPolicy(file: file))
    _ = await speak(["two", "three"], OutputPolicy(logging: .never, file: file))
    bench.files.close(timeout: .seconds(60))
    #expect(folder.read("out") == "one\ntwo\nthree\n")
    #expect(bench.lines.texts == ["one"])
  }

  @Test func `a log is kept out of the log where the job says so, and kept all the same`() async {
    let facts = await log("hush", OutputPolicy(logging: .never))
    #expect(bench.lines.texts.isEmpty)
    #expect(facts.kept.head == Array("hush\n".utf8))
    _ = await log("hush", OutputPolicy(logging: .onFailure))
    #expect(bench.lines.texts.isEmpty)
  }

  @Test func `on_failure shows what is kept of a failure, and nothing of a success`() async {
    let policy = OutputPolicy(keepBytes: 8, logging: .onFailure)
    _ = await speak(["a", "b"], policy)
    #expect(bench.lines.all.isEmpty)
    _ = await speak(["a", "b", "5678", "x"], fails: true, policy)
    #expect(bench.lines.texts == ["a", "b", "8", "x"])
    #expect(bench.lines.all.contains { $0[.dropped] == .number(3) && $0.level == .warning })
  }

  @Test func `lines beyond the rate are counted`() async {
    let lines = (1...20).map { "line \($0)" }
    _ = await speak(lines, OutputPolicy(rate: LineRate(5, per: .seconds(3600))))
    #expect(bench.lines.texts == Array(lines[..<5]))
    #expect(bench.lines.all.last?[.dropped] == .number(15))
  }

  @Test func `the beginning and the end are kept`() async {
    let facts = await speak(["12345678", "abcdefgh"], OutputPolicy(keepBytes: 8))
    #expect(
      facts.kept
        == KeptOutput(head: Array("1234".utf8), tail: Array("fgh\n".utf8), droppedBytes: 10))
    #expect(facts.stdoutBytes == 18)
    let logged = await log("1234567890", OutputPolicy(keepBytes: 4))
    #expect(logged.kept.droppedBytes == 7)
  }

  @Test func `a message of several lines is several records, and a long one comes in pieces`() async
  {
    _ = await log("one\ntwo\n", OutputPolicy())
    #expect(bench.lines.texts == ["one", "two"])
    _ = await speak(["three\nfour"], OutputPolicy())
    // A file's name, for example, must not look like a line of its own.
    #expect(bench.lines.texts == ["one", "two", "three\u{fffd}four"])
    _ = await log(String(repeating: "x", count: 20_000), OutputPolicy())
    #expect(bench.lines.texts.dropFirst(3).map(\.utf8.count) == [8192, 8192, 3616])
  }

  @Test func `lines keep their level and their place among those of one wake`() async {
    _ = await speak(["loud"], OutputPolicy())
    #expect(bench.lines.all.map(\.level) == [.notice])
    bench.router.start(
      (1...4).map { run in
        bench.request("log", ["message": .string("\(run)"), "level": "error"], run: run) {
          if run == 3 { $0.execution.output.rate = LineRate(1, per: .seconds(1)) }
        }
      })
    _ = await bench.ends(4)
    #expect(bench.lines.texts == ["loud", "1", "2", "3", "4"])
    #expect(bench.lines.all.dropFirst().allSatisfy { $0.level == .error })
  }

  @Test(arguments: [OutputPolicy(), OutputPolicy(rate: LineRate(9, per: .seconds(1)))])
  func `a step's lines say which step they are of`(policy: OutputPolicy) async {
    for name in ["log", "speak"] {
      var request = bench.request(
        name, ["message": "x", "lines": .list(["x"])]
      ) { $0.execution.output = policy }
      request.spec.action = .steps([Step(.shell("true")), Step(request.action)])
      request.step = 1
      bench.router.start([request])
      _ = await bench.ends(1)
      #expect(bench.lines.all.last?[.step] == .number(2))
    }
  }
}
