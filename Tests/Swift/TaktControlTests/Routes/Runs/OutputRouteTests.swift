import Foundation
import TaktTime
import Testing

@testable import TaktControl
@testable import TaktCore

/// The output of a run, so far and to come.
@Suite struct OutputRouteTests {
  private static let path = "/api/v1/runs"

  // MARK: What is kept

  @Test func `what the attempts of a run printed comes in their order, as plain text`() async throws
  {
    let archive = MemoryArchive([.kept(1, "a", attempts: 3)])
    archive.keep("third\n", of: 1, attempt: 3)
    archive.keep("first\n", of: 1, attempt: 1)
    let world = try await ControlWorld(archive: archive)
    let all = try world.get("\(Self.path)/1/output")
    #expect(all.status == 200 && all.headers["content-type"] == "text/plain; charset=utf-8")
    #expect(all.text == "first\nthird\n" && all.headers["takt-dropped-bytes"] == "0")
    #expect(try world.get("\(Self.path)/1/output?attempt=3").text == "third\n")
    // One that has printed nothing.
    #expect(try world.get("\(Self.path)/1/output?attempt=2").text == "")
    let beyond = try world.get("\(Self.path)/1/output?attempt=4")
    #expect(beyond.problem == "404 notFound")
    #expect(beyond["title"] as? String == "run 1 has no attempt 4")
  }

  @Test func `a line stands where bytes are not kept`() async throws {
    let archive = MemoryArchive([.kept(1, "a")])
    archive.keep("begin", of: 1, dropped: 1234)
    let reply = try await ControlWorld(archive: archive).get("\(Self.path)/1/output")
    #expect(reply.text == "begin\n… 1234 bytes are not kept …\n")
    #expect(reply.headers["takt-dropped-bytes"] == "1234")
  }

  @Test func `output that is no text arrives as it is`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)], archive: nil)
    let run = try world.trigger("a")
    world.output.print("\u{1b}[31m\0<script>", by: run)
    #expect(try world.get("\(Self.path)/\(run)/output").text == "\u{1b}[31m\0<script>")
  }

  @Test func `without a ledger the last outputs are still known`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)], archive: nil)
    let run = try world.trigger("a")
    world.scheduler.end(run, printed: "done\n")
    #expect(try world.get("\(Self.path)/\(run)/output").text == "done\n")
    #expect(try world.get("\(Self.path)/\(run)/output?attempt=1").text == "done\n")
    // A run that has ended is not followed; its output is returned.
    #expect(try world.get("\(Self.path)/\(run)/output?follow=true").text == "done\n")
  }

  @Test func `a ledger that fails hides nothing that is known besides`() async throws {
    let archive = MemoryArchive()
    let world = try await ControlWorld([.named("a", every: nil)], archive: archive)
    let run = try world.trigger("a")
    world.scheduler.end(run, printed: "done\n")
    archive.fail("disk I/O error")
    #expect(try world.get("\(Self.path)/\(run)/output").text == "done\n")
  }

  @Test func `an attempt that continues has no output of its own yet`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let run = try world.trigger("a")
    let reply = try world.get("\(Self.path)/\(run)/output?attempt=1")
    #expect(reply.problem == "404 notFound")
    #expect(reply["title"] as? String == "attempt 1 of run \(run) has not ended")
  }

  @Test(arguments: [
    "follow=yes", "follow=", "attempt=0", "attempt=-1", "attempt=x", "follow=true&attempt=1",
    "tail=5", "attempt=1&attempt=2",
  ])
  func `what the output of a run does not take is refused`(query: String) async throws {
    let world = try await ControlWorld(archive: MemoryArchive([.kept(1, "a")]))
    #expect(try world.get("\(Self.path)/1/output?\(query)").problem == "400 badRequest")
  }

  // MARK: Records

  private func records(_ reply: Reply) throws -> [[String: Any]] {
    try reply.text.split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
    }
  }

  @Test func `a record says which attempt printed it, when, and to which stream`() async throws {
    let archive = MemoryArchive([.kept(1, "a", attempts: 2)])
    let wall = ControlWorld.wall
    archive.keep(
      KeptOutput(
        head: Array("out\nerr\n".utf8), tail: Array("end\n".utf8), droppedBytes: 50,
        marks: [
          OutputMark(stream: .stdout, at: wall),
          OutputMark(offset: 4, stream: .stderr, at: wall + .milliseconds(250)),
          OutputMark(offset: 30, stream: .stdout, at: wall + .seconds(1)),
        ]), of: 1, attempt: 1)
    archive.keep("second\n", of: 1, attempt: 2)
    let world = try await ControlWorld(archive: archive)
    let reply = try world.get("\(Self.path)/1/output?records=true")
    #expect(reply.headers["content-type"] == "application/x-ndjson")
    let all = try records(reply)
    #expect(all.map { $0["text"] as? String } == ["out\n", "err\n", nil, "end\n", "second\n"])
    #expect(all.map { $0["stream"] as? String } == ["stdout", "stderr", nil, "stdout", nil])
    #expect(all.map { $0["attempt"] as? Int } == [1, 1, 1, 1, 2])
    #expect(all[2]["dropped"] as? Int == 50)
    #expect(all[1]["at"] as? String == "2026-09-21T14:13:20.250Z")
    let second = try records(try world.get("\(Self.path)/1/output?records=true&attempt=2"))
    #expect(second.map { $0["text"] as? String } == ["second\n"])
    // The bytes as they are, for clients of this route's first form.
    #expect(
      try world.get("\(Self.path)/1/output?attempt=1").text
        == "out\nerr\n\n… 50 bytes are not kept …\nend\n")
  }

  @Test func `a character that is cut between two pieces of a stream stays whole`() {
    var records = OutputRecords()
    let euro = Array("€".utf8)
    let out = OutputMark(stream: .stdout, at: ControlWorld.wall)
    let error = OutputMark(stream: .stderr, at: ControlWorld.wall)
    let text = { (bytes: [UInt8]) in String(decoding: bytes, as: UTF8.self) }
    #expect(text(records.lines(of: Array("a".utf8) + euro.prefix(2), out)).contains(#""text":"a""#))
    #expect(text(records.lines(of: Array("b".utf8), error)).contains(#""text":"b""#))
    #expect(text(records.lines(of: [euro[2]], out)).contains(#""text":"€""#))
    // Bytes that can be no text are not kept waiting.
    #expect(text(records.lines(of: [0x80, 0x80, 0x80, 0x80], out)).contains("\u{FFFD}"))
  }

  @Test func `a follower of records gets what comes with its stream`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let run = try world.trigger("a")
    let wire = try world.connect()
    wire.send("GET", "\(Self.path)/\(run)/output?follow=true&records=true", nil)
    #expect(try wire.head().headers["content-type"] == "application/x-ndjson")
    world.output.print("one\n", by: run)
    let line = try wire.body(until: "}\n")
    #expect(line.contains(#""stream":"stdout""#) && line.contains(#""text":"one\n""#))
    #expect(line.contains(#""attempt":1"#))
    world.scheduler.end(run)
    #expect(try wire.chunk() == nil && wire.isClosed())
  }

  @Test func `a run that there is not has no output`() async throws {
    let world = try await ControlWorld()
    for query in ["", "?attempt=1", "?follow=true"] {
      #expect(try world.get("\(Self.path)/5/output\(query)").problem == "404 notFound", "\(query)")
    }
  }

  // MARK: What comes

  @Test func `a follower gets what was printed before, what comes, and the end`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let run = try world.trigger("a")
    world.output.print("one\n", by: run)
    let wire = try world.connect()
    wire.send("GET", "\(Self.path)/\(run)/output?follow=true", nil)
    let head = try wire.head()
    #expect(head.status == 200 && head.headers["content-type"] == "text/plain; charset=utf-8")
    #expect(head.headers["x-accel-buffering"] == "no" && head.headers["connection"] == "close")
    #expect(try wire.body(until: "one\n") == "one\n")
    world.output.print("two\n", by: run)
    #expect(try wire.body(until: "two\n") == "two\n")
    // Without following: the output so far.
    #expect(try world.get("\(Self.path)/\(run)/output").text == "one\ntwo\n")
    world.scheduler.end(run)
    #expect(try wire.chunk() == nil && wire.isClosed())
    #expect(world.output.awaitLeave() && world.output.followerCount == 0)
  }

  @Test func `a follower that goes away is forgotten`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let run = try world.trigger("a")
    var wire: Wire? = try world.connect()
    wire?.send("GET", "\(Self.path)/\(run)/output?follow=true", nil)
    #expect(try wire?.head().status == 200)
    #expect(world.output.followerCount == 1)
    wire = nil
    #expect(world.output.awaitLeave() && world.output.followerCount == 0)
  }

  @Test func `so many may follow output at once, and a place is free when one goes`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)], descriptors: 3000)
    let run = try world.trigger("a")
    let target = "\(Self.path)/\(run)/output?follow=true"
    func follow() throws -> (wire: Wire, status: Int) {
      let wire = try world.connect()
      wire.send("GET", target, nil)
      return (wire, try wire.head().status)
    }
    var wires = try (0..<RunRoutes.readersMax).map { _ in try follow() }
    #expect(wires.allSatisfy { $0.status == 200 })
    let beyond = try world.get(target)
    #expect(beyond.problem == "429 tooMany")
    #expect(beyond["title"] as? String == "there are already 64 readers of output")
    // Requests that do not follow are still answered.
    #expect(try world.get("\(Self.path)/\(run)/output").status == 200)
    wires.removeLast()
    // The server sees the end of a connection only when the system reports it.
    while wires.count < RunRoutes.readersMax {
      let next = try follow()
      if next.status == 200 { wires.append(next) }
    }
    #expect(world.output.followerCount == RunRoutes.readersMax)
    #expect(try world.get(target).problem == "429 tooMany")
    // Each of them must have ended on the server before the server ends.
    world.scheduler.end(run)
    for (wire, _) in wires { #expect(try wire.chunk() == nil && wire.isClosed()) }
    while world.output.followerCount > 0 { try #require(world.output.awaitLeave()) }
  }

  @Test func `a follower that is too slow loses output, and learns how much`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let run = try world.trigger("a")
    let wire = try world.connect()
    wire.send("GET", "\(Self.path)/\(run)/output?follow=true", nil)
    #expect(try wire.head().status == 200)
    // More than the buffers of the system and of the stream hold together.
    let line = String(repeating: "x", count: 99_999) + "\n"
    for _ in 0..<640 { world.output.print(line, by: run) }
    world.scheduler.end(run)
    var bytes: [UInt8] = []
    while let chunk = try wire.chunk() { bytes += chunk }
    let text = String(decoding: bytes, as: UTF8.self)
    let dropped = text.split(separator: "\n").filter { $0.hasSuffix(" bytes came too fast …") }
      .compactMap { Int($0.split(separator: " ")[1]) }.reduce(0, +)
    let kept = bytes.count { $0 == UInt8(ascii: "x") } / 99_999
    #expect(dropped > 0 && kept + dropped / 100_000 == 640, "\(kept) \(dropped)")
  }
}
