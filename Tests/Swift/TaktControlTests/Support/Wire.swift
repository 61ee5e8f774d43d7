import Foundation
import Glibc
import TestSupport

/// An answer of HTTP.
struct Reply {
  var status: Int
  /// By their names in lower case.
  var headers: [String: String]
  var bytes: [UInt8]

  var text: String { String(decoding: bytes, as: UTF8.self) }
  var object: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] ?? [:]
  }

  /// A member of the object.
  subscript(key: String) -> Any? { object[key] }

  /// The objects of an array that is a member of the object.
  func list(_ key: String) -> [[String: Any]] { object[key] as? [[String: Any]] ?? [] }

  /// A problem's status and code.
  var problem: String { "\(status) \(object["code"] as? String ?? "-")" }
}

/// A plain connection to a Unix socket or a TCP port of this machine.
final class Wire {
  struct Failure: Error { var message: String }

  /// Answers while this connection exists.
  private let world: ControlWorld
  private let descriptor: Int32
  private var received: [UInt8] = []

  init(socket path: String, of world: ControlWorld) throws {
    self.world = world
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try begin(result == 0 ? 0 : errno)
  }

  init(port: UInt16, of world: ControlWorld) throws {
    self.world = world
    let connection = Loopback.connect(port: port)
    descriptor = connection.descriptor
    try begin(connection.error)
  }

  deinit { Glibc.close(descriptor) }

  private func begin(_ error: Int32) throws {
    guard error == 0 else { throw Failure(message: String(cString: strerror(error))) }
    Loopback.limitWaiting(on: descriptor)
  }

  /// Sends a request. A body is preceded by its length.
  func send(_ method: String, _ target: String, _ body: [UInt8]?, _ headers: [String] = []) {
    var lines = ["\(method) \(target) HTTP/1.1"] + headers
    if !headers.contains(where: { $0.lowercased().hasPrefix("host:") }) {
      lines.append("Host: takt")
    }
    if let body { lines.append("Content-Length: \(body.count)") }
    send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    if let body { send(body) }
  }

  /// Sends all of it; false if the other end has closed.
  @discardableResult func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult func send(_ bytes: [UInt8]) -> Bool {
    Loopback.sendAll(bytes, on: descriptor)
  }

  /// Closes the sending half; the answer may still be read.
  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The next answer, whole.
  func reply(isHead: Bool = false) throws -> Reply {
    var reply = try head()
    let bodiless = isHead || reply.status < 200 || reply.status == 204
    if bodiless { return reply }
    if let length = reply.headers["content-length"].flatMap({ Int($0) }) {
      reply.bytes = try consume(length)
    } else if reply.headers["transfer-encoding"] == "chunked" {
      while let chunk = try chunk() { reply.bytes += chunk }
    } else {
      while receive() {}
      reply.bytes = received
    }
    return reply
  }

  /// The next answer's status and headers; its body comes by `chunk`.
  func head() throws -> Reply {
    let lines = String(decoding: try consume(through: "\r\n\r\n"), as: UTF8.self)
      .components(separatedBy: "\r\n")
    guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { throw Failure(message: "no status: \(lines[0])") }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...]
        .trimmingCharacters(in: .whitespaces)
    }
    return Reply(status: status, headers: headers, bytes: [])
  }

  /// The next part of a body without a length; nil at its end.
  func chunk() throws -> [UInt8]? {
    let line = String(decoding: try consume(through: "\r\n").dropLast(2), as: UTF8.self)
    guard let count = Int(line, radix: 16) else { throw Failure(message: "no chunk: \(line)") }
    let bytes = try consume(count)
    _ = try consume(through: "\r\n")
    return count == 0 ? nil : bytes
  }

  /// Parts of a body until it holds the text.
  func body(until text: String) throws -> String {
    var bytes: [UInt8] = []
    while !String(decoding: bytes, as: UTF8.self).contains(text) {
      guard let chunk = try chunk() else { break }
      bytes += chunk
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// True if the other end closes, after any bytes.
  func isClosed() -> Bool {
    while receive() {}
    return errno != EAGAIN
  }

  private func consume(through end: String) throws -> [UInt8] {
    let end = Array(end.utf8)
    while true {
      if let range = received.firstRange(of: end) { return try consume(range.upperBound) }
      guard receive() else {
        throw Failure(message: "closed after: \(String(decoding: received, as: UTF8.self))")
      }
    }
  }

  private func consume(_ count: Int) throws -> [UInt8] {
    while received.count < count {
      guard receive() else { throw Failure(message: "closed after \(received.count) bytes") }
    }
    defer { received.removeFirst(count) }
    return Array(received.prefix(count))
  }

  private func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    errno = 0
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { received += buffer[..<count] }
    return count > 0
  }
}
