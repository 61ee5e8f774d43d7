import Testing

/// Readers of the page that do not read their answers.
@Suite(.ownThreads) struct PageReaderTests {
  @Test func `readers that read nothing make no slot pass`() throws {
    let live = try LiveTakt(
      """
      defaults: {output: {log: false}}
      jobs:
        beat: {every: 1s, overlap: allow, run: 'true'}
        flood: {cron: '@yearly', run: 'yes "a line of output that nobody reads"'}

      """, http: true)
    let run = try #require(try live.object("POST", "/api/v1/jobs/flood/trigger")["run"] as? Int)
    let targets = [
      "/api/v1/events?after=0", "/api/v1/runs/\(run)/output?follow=true&records=true",
      "/api/v1/runs/\(run)/output?follow=true", "/api/v1/timeline?past=2678400&ahead=2678400",
      "/api/v1/jobs?durations=true", "/",
    ]
    var readers: [RawConnection] = []
    for target in targets {
      // Each asks repeatedly, so that answers wait as well as streams.
      for _ in 0..<4 {
        let reader = try RawConnection(port: live.port)
        let head =
          "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(live.token)\r\n\r\n"
        #expect(reader.send(String(repeating: head, count: 20)))
        readers.append(reader)
      }
    }
    for _ in 0..<10 {
      _ = try live.process.line("a slot of 'beat'") { $0.job == "beat" && $0.verdict != nil }
    }
    let verdicts = Set(live.process.lines.filter { $0.job == "beat" }.compactMap(\.verdict))
    #expect(verdicts == ["ran"])
    // They still hold their connections, and others are answered.
    #expect(readers.count == targets.count * 4)
    #expect(try live.ask("GET", "/api/v1/status").status == 200)
    #expect(try live.process.stop() == 0)
  }
}
