import Foundation
import Glibc
import TaktCore
import TaktTesting
import Testing

@testable import TaktEngine

/// Memory and descriptors over very many transfers, alone in the process: `make check-slow`.
@Suite struct ManyTransfersTests {
  private static let count = ProcessInfo.processInfo.environment["TAKT_TRANSFERS"].flatMap(Int.init)

  private static var residentBytes: Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(
      separator: " ")
    return (fields.flatMap { Int($0[1]) } ?? 0) * Int(getpagesize())
  }

  private static var descriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }

  @Test(.enabled(if: count != nil, "TAKT_TRANSFERS says how many"))
  func `memory and descriptors do not grow with the number of transfers`() async throws {
    let bench = try BuiltinBench()
    let folder = TemporaryFolder()
    let web = try PythonServer(WebServer.script, folder: folder)
    let pair = try folder.makeCertificate()
    let secure = try PythonServer(
      WebServer.script, [folder["seen"], pair.certificate, pair.key], folder: folder)
    let mail = try PythonServer(MailServer.script, [folder["mails"], "plain"], folder: folder)
    let kinds: [(String, Parameters)] = [
      ("http", ["url": .string("http://127.0.0.1:\(web.port)/")]),
      ("http", ["url": .string("http://127.0.0.1:\(web.port)/cut")]),
      ("http", ["url": .string("http://127.0.0.1:\(web.port)/large")]),
      (
        "http",
        [
          "url": .string("https://localhost:\(secure.port)/"), "ca_file": .string(pair.certificate),
        ]
      ),
      (
        "mail",
        [
          "host": "127.0.0.1", "port": .integer(mail.port), "tls": "none", "from": "a@example.org",
          "to": .list(["b@example.org"]), "hello": "test.example",
        ]
      ),
    ]
    func transfer(_ count: Int) async {
      var left = count
      var run = UInt64(0)
      while left > 0 {
        let batch = min(left, 20)
        bench.router.start(
          (0..<batch).map { index in
            run += 1
            let (name, parameters) = kinds[index % kinds.count]
            return bench.request(name, parameters, run: run)
          })
        _ = await bench.ends(batch)
        left -= batch
      }
    }
    let total = Self.count ?? 0
    await transfer(max(500, total / 10))
    let (memory, descriptors) = (Self.residentBytes, Self.descriptors)
    await transfer(total)
    let growth = Self.residentBytes - memory
    print(
      "\(total) transfers: \(memory / 1024) KiB before, \(growth / 1024) KiB more after;",
      "\(descriptors) descriptors before, \(Self.descriptors) after")
    #expect(growth < 8 * 1024 * 1024)
    #expect(Self.descriptors <= descriptors + 4)
  }

  @Test(.enabled(if: count != nil, "TAKT_TRANSFERS says how many"))
  func `cancelled transfers end, and how soon they do is printed`() async throws {
    let bench = try BuiltinBench()
    let folder = TemporaryFolder()
    let web = try PythonServer(WebServer.script, [folder["seen"]], folder: folder)
    let silent: Parameters = [
      "url": .string("http://127.0.0.1:\(web.port)/silent"), "timeout": .duration(.seconds(3600)),
    ]
    var delays: [Duration] = []
    for number in 1...100 {
      bench.router.start([bench.request("http", silent, run: UInt64(number))])
      while folder.read("seen").split(separator: "\n").count < number {
        try await Task.sleep(for: .milliseconds(1))
      }
      let begin = ContinuousClock.now
      bench.router.stop(RunID(UInt64(number)), signal: .terminate)
      #expect(await bench.ends(1)[0].report.result == .failed("cancelled"))
      delays.append(ContinuousClock.now - begin)
    }
    delays.sort()
    print("100 cancelled: median \(delays[50]), longest \(delays[99])")
  }
}
