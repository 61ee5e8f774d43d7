import Foundation
import Glibc
import NIOCore
import Synchronization
import Testing

@testable import TaktControl

/// The commands' client beside daemons that answer, send nonsense, fall silent and die.
@Suite struct ControlClientTests {
  private static let head = "HTTP/1.1 200 OK\r\n"

  @Test func `an answer is handed back whole, in one piece or many`() throws {
    for pieces in [
      [head("Content-Length: 11"), "hello world"],
      [head("Transfer-Encoding: chunked"), "6\r\nhello \r\n", "5\r\nworld\r\n", "0\r\n\r\n"],
      // Bytes before and after the answer proper are ignored.
      ["HTTP/1.1 100 Continue\r\n\r\n", head("Content-Length: 11"), "hello worldHTTP/1.1 500 No"],
    ] {
      let server = try SocketServer { connection in pieces.forEach { connection.send($0) } }
      let answer = try server.client().ask("GET", "/api/v1/status")
      #expect(answer.status == 200 && answer.bytes == Array("hello world".utf8))
    }
  }

  @Test func `what is asked comes as it was asked, each time on a connection of its own`() throws {
    let server = try SocketServer { $0.send(head("Content-Length: 0")) }
    let body = [UInt8](repeating: 65, count: 5 << 20)
    _ = try server.client().ask("POST", "/api/v1/plan?x=%20", body: body)
    _ = try server.client().ask("DELETE", "/a", accept: "text/plain")
    let requests = server.requests
    #expect(requests.count == 2)
    #expect(requests[0].hasPrefix("POST /api/v1/plan?x=%20 HTTP/1.1\r\n"))
    #expect(requests[0].contains("\r\nAccept: application/json\r\n"))
    #expect(requests[0].hasSuffix("\r\n\r\n" + String(repeating: "A", count: body.count)))
    #expect(requests[1].hasPrefix("DELETE /a HTTP/1.1\r\n") && requests[1].hasSuffix("\r\n\r\n"))
    #expect(requests[1].contains("\r\nAccept: text/plain\r\n"))
  }

  @Test(arguments: [
    ["HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly a part"],
    ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello \r\n"],
    ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhello"],
    ["HTTP/1.1 200 OK\r\nContent-Len"],
  ]) func `a daemon that dies in the middle of an answer is an error, no short answer`(
    answer: [String]
  ) throws {
    let server = try SocketServer { connection in answer.forEach { connection.send($0) } }
    let client = server.client()
    #expect(throws: ControlError("the connection ended in the middle of the answer")) {
      try client.ask("GET", "/")
    }
    #expect(throws: ControlError("the connection ended in the middle of the answer")) {
      try client.follow("/", accept: "text/plain") { _ in }
    }
  }

  @Test func `a daemon that dies before it answers is an error`() throws {
    let server = try SocketServer { _ in }
    #expect(throws: ControlError("the daemon closed the connection without an answer")) {
      try server.client().ask("GET", "/")
    }
  }

  @Test func `an answer that is not HTTP is an error`() throws {
    let server = try SocketServer { $0.send("SSH-2.0-OpenSSH\r\n\r\n") }
    let trouble = try #require(throws: ControlError.self) {
      try server.client().ask("GET", "/")
    }
    #expect(trouble.message.hasPrefix("the answer is not HTTP"), "\(trouble)")
  }

  @Test func `a daemon that never answers is given up`() throws {
    let server = try SocketServer { $0.waitForEnd() }
    var bounds = ControlClient.Bounds()
    bounds.silence = .milliseconds(50)
    for partial in ["", head("Content-Length: 5") + "he"] {
      let server = try SocketServer { connection in
        connection.send(partial)
        connection.waitForEnd()
      }
      let trouble = try #require(throws: ControlError.self) {
        try server.client(bounds).ask("GET", "/")
      }
      #expect(trouble.message.hasPrefix("no answer for"), "\(trouble)")
    }
    #expect(throws: ControlError.self) {
      try server.client(bounds).follow("/", accept: "text/plain") { _ in }
    }
  }

  @Test func `a daemon that is silent is named before it is given up`() throws {
    let server = try SocketServer { $0.waitForEnd() }
    var bounds = ControlClient.Bounds()
    (bounds.notice, bounds.silence) = (.milliseconds(10), .milliseconds(500))
    let pids = Mutex<[Int32?]>([])
    let client = ControlClient(socket: server.path, bounds: bounds) { silence in
      pids.withLock { $0.append(silence.pid) }
    }
    #expect(throws: ControlError.self) { try client.ask("GET", "/") }
    #expect(pids.withLock { $0 } == [getpid()])
    // A request that is meant to wait is no silence.
    bounds.silence = .milliseconds(20)
    let patient = ControlClient(socket: server.path, bounds: bounds) { _ in
      pids.withLock { $0.append(nil) }
    }
    let begin = ContinuousClock.now
    #expect(throws: ControlError.self) { try patient.ask("GET", "/", waitSeconds: 1) }
    #expect(ContinuousClock.now - begin >= .seconds(1))
  }

  @Test func `a followed stream may be silent for longer than an answer`() throws {
    var bounds = ControlClient.Bounds()
    bounds.silence = .seconds(3)
    let isGivenUp = DispatchSemaphore(value: 0)
    let server = try SocketServer { connection in
      connection.send(head("Transfer-Encoding: chunked") + "2\r\na\n\r\n")
      isGivenUp.wait()
      connection.send("2\r\nb\n\r\n0\r\n\r\n")
    }
    let silent = try SocketServer { $0.waitForEnd() }
    let other = silent.client(bounds)
    let found = Mutex<[UInt8]>([])
    let answer = try server.client(bounds).follow("/", accept: "text/plain") { bytes in
      let isFirst = found.withLock { found in
        defer { found += bytes }
        return found.isEmpty
      }
      guard isFirst else { return }
      // An answer that is awaited from now on is given up later than the stream would be.
      Thread.detachNewThread {
        _ = try? other.ask("GET", "/")
        isGivenUp.signal()
      }
    }
    #expect(answer.status == 200 && answer.bytes.isEmpty)
    #expect(found.withLock { $0 } == Array("a\nb\n".utf8))
  }

  @Test func `a refused stream hands back the refusal`() throws {
    let server = try SocketServer {
      $0.send("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone")
    }
    let answer = try server.client().follow("/", accept: "text/plain") { _ in
      Issue.record("the refusal was handed on as output")
    }
    #expect(answer.status == 404 && answer.bytes == Array("none".utf8))
  }

  @Test func `a reader that is slow holds the daemon back, and memory stays small`() throws {
    let sent = Mutex(0)
    let piece = [UInt8](repeating: 65, count: 1 << 20)
    let chunk = Array("100000\r\n".utf8) + piece + Array("\r\n".utf8)
    let server = try SocketServer { connection in
      connection.send(head("Transfer-Encoding: chunked"))
      for _ in 0..<64 {
        guard connection.send(chunk) else { return }
        sent.withLock { $0 += 1 }
      }
      connection.send("0\r\n\r\n")
    }
    let taken = Mutex(0)
    let ahead = Mutex(0)
    _ = try server.client().follow("/", accept: "text/plain") { bytes in
      let before = taken.withLock { taken in
        taken += bytes.count
        return taken - bytes.count
      }
      // The bytes that have left the daemon and have not arrived yet.
      let waiting = sent.withLock { $0 } << 20 - before
      ahead.withLock { $0 = max($0, waiting) }
    }
    #expect(taken.withLock { $0 } == 64 << 20)
    #expect(ahead.withLock { $0 } < 8 << 20)
  }

  @Test func `an answer longer than the bound is an error`() throws {
    let server = try SocketServer { connection in
      connection.send(head("Content-Length: 1000") + String(repeating: "x", count: 1000))
    }
    var bounds = ControlClient.Bounds()
    bounds.bodyBytes = 999
    #expect(throws: ControlError("the answer is longer than 999 bytes")) {
      try server.client(bounds).ask("GET", "/")
    }
    bounds.bodyBytes = 1000
    #expect(try server.client(bounds).ask("GET", "/").bytes.count == 1000)
  }

  @Test func `a refusal that comes before the whole request was read is handed back`() throws {
    let server = try SocketServer(reading: 100) {
      $0.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }
    let body = [UInt8](repeating: 65, count: 8 << 20)
    #expect(try server.client().ask("POST", "/", body: body).status == 413)
  }

  @Test func `without a listener the reason and the way out are given`() throws {
    let server = try SocketServer { _ in }
    server.stop()
    let trouble = try #require(throws: ControlError.self) {
      try server.client().ask("GET", "/")
    }
    #expect(trouble.message.contains("was killed; start it with 'takt run'"), "\(trouble)")
    unlink(server.path)
    #expect(throws: ControlError("there is no socket")) {
      try server.client().ask("GET", "/")
    }
    let long = "/tmp/" + String(repeating: "x", count: 200)
    let other = try #require(throws: ControlError.self) {
      try ControlClient(socket: long).ask("GET", "/")
    }
    #expect(other.message.contains("107 bytes"), "\(other)")
  }

  @Test func `a socket that may not be used says who may`() {
    let refusal = IOError(errnoCode: EACCES, reason: "connect")
    #expect(ControlError(refusal).message.hasPrefix("permission denied; only the daemon's user"))
  }

  @Test func `many threads ask at once`() throws {
    let server = try SocketServer { $0.send(head("Content-Length: 2") + "ok") }
    let client = server.client()
    let good = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 200) { _ in
      if (try? client.ask("GET", "/"))?.bytes == Array("ok".utf8) { good.withLock { $0 += 1 } }
    }
    #expect(good.withLock { $0 } == 200)
  }

  private func head(_ field: String) -> String { Self.head + field + "\r\n\r\n" }
}
