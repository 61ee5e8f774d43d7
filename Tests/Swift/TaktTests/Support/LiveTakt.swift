import Foundation
import Glibc
import TaktControl
import TestSupport

@testable import takt
import CDispatch

/// The running daemon, with its socket, and its port if it has one.
struct LiveTakt {
  let folder: TemporaryFolder
  let process: TaktProcess
  let client: ControlClient
  private(set) var port: UInt16 = 0

  var socket: String { folder.url.appendingPathComponent(".takt/control.sock").path }
  var token: String {
    folder.read(".takt/token").trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Starts the built program with these jobs, and waits until it answers.
  ///
  /// - Parameters:
  ///   - maxRunning: `scheduler.max_running`; nil for the default. Only with `http`.
  ///   - readToken: the file with the token that may only read; nil for none. Only with `http`.
  ///   - proxy: `scheduler.http.proxy`; nil for none. Only with `http`.
  ///   - publicURL: the public address of the page at jobs.example.org; nil for its own. Only with
  ///     `http`.
  ///   - setUp: prepares the folder for the jobs.
  ///   - descriptors: the limit of its descriptors; nil for this process's own.
  init(
    _ jobs: String, http: Bool = false, maxRunning: Int? = nil, readToken: String? = nil,
    proxy: String? = nil, publicURL: String? = nil, descriptors: Int? = nil,
    setUp: (TemporaryFolder) throws -> Void = { _ in }
  ) throws {
    folder = try TemporaryFolder()
    try setUp(folder)
    let places = maxRunning.map { ", max_running: \($0)" } ?? ""
    let reader = readToken.map { ", read_token_file: \($0)" } ?? ""
    let login = proxy.map { ", proxy: \($0)" } ?? ""
    let url = publicURL.map { ", names: [jobs.example.org], public_url: '\($0)'" } ?? ""
    let ways = "listen: 0\(reader)\(login)\(url)"
    let settings = http ? "scheduler: {http: {\(ways)}, shutdown_grace: 1s\(places)}\n" : ""
    try folder.write(settings + jobs)
    if let descriptors {
      let script = "ulimit -n \(descriptors); exec '\(TaktProcess.executable.path)' run"
      process = try TaktProcess(["-c", script], program: "/bin/sh", in: folder)
    } else {
      process = try TaktProcess(["run"], in: folder)
    }
    client = ControlClient(socket: folder.url.appendingPathComponent(".takt/control.sock").path)
    try process.line("the socket") { $0.message?.hasPrefix("the control socket is at") == true }
    if http {
      let words = "the web page is at "
      let line =
        try process.lines.first { $0.message?.hasPrefix(words) == true }
        ?? process.line("the page") { $0.message?.hasPrefix(words) == true }
      port = UInt16(line.message?.split(separator: ":").last ?? "") ?? 0
    }
    if !process.lines.contains(where: { $0.message?.hasPrefix("started;") == true }) {
      try process.line("the start") { $0.message?.hasPrefix("started;") == true }
    }
  }

  /// An answer of the API, over the socket.
  func ask(
    _ method: String, _ target: String, _ body: String? = nil,
    accept: String = "application/json"
  ) throws -> (status: Int, text: String) {
    let answer = try client.ask(method, target, body: body.map { Array($0.utf8) }, accept: accept)
    return (answer.status, String(decoding: answer.bytes, as: UTF8.self))
  }

  /// The JSON object in a route's answer.
  func object(_ method: String, _ target: String, _ body: String? = nil) throws
    -> [String: Any]
  {
    let (_, text) = try ask(method, target, body)
    return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
  }

  /// A command of takt's own, in the folder.
  func takt(_ arguments: String...) throws -> TaktAnswer { try folder.takt(arguments) }
}

/// A plain TCP or Unix connection, for requests that no client would send.
final class RawConnection {
  struct Refused: Error { var number: Int32 }

  private let descriptor: Int32

  /// To a port of this machine.
  init(port: UInt16) throws {
    let connection = Loopback.connect(port: port)
    descriptor = connection.descriptor
    if connection.error != 0 { throw Refused(number: connection.error) }
  }

  deinit { close(descriptor) }

  /// Sends all of it; false if the other end has closed.
  @discardableResult func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult func send(_ bytes: [UInt8]) -> Bool {
    Loopback.sendAll(bytes, on: descriptor)
  }

  /// All bytes until the other end closes, or the answer to one request is complete.
  func answer() -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { break }
      bytes += chunk[..<count]
      let text = String(decoding: bytes, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n") else { continue }
      let length = text[..<end.lowerBound].lowercased().components(separatedBy: "content-length: ")
        .dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) }
      if let length, text[end.upperBound...].utf8.count >= length { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// All bytes until the other end closes.
  func everything() -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
  }

  /// The status of an answer; 0 if the other end closed without one.
  func status() -> Int {
    answer().split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  /// The statuses of this many answers on one connection; fewer if it is closed before.
  func statuses(_ count: Int) -> [Int] {
    var found: [Int] = []
    var rest = ""
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while found.count < count {
      let received = recv(descriptor, &chunk, chunk.count, 0)
      guard received > 0 else { break }
      // A body may end, and the next answer begin, amid a line.
      var parts = (rest + String(decoding: chunk[..<received], as: UTF8.self))
        .components(separatedBy: "HTTP/1.1 ")
      // The last one may not be complete yet.
      rest = "HTTP/1.1 " + parts.removeLast()
      if parts.isEmpty { rest.removeFirst(9) }
      found += parts.compactMap { Int($0.prefix(3)) }
      if found.count == count - 1, let last = Int(rest.dropFirst(9).prefix(3)) {
        found.append(last)
      }
    }
    return found
  }

  /// True if the other end closes, with or without an answer.
  func isClosed() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count == 0 || (count < 0 && errno == ECONNRESET) { return true }
      if count < 0 { return false }
    }
  }
}
