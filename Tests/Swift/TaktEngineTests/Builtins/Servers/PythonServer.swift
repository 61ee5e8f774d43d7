import Foundation
import Glibc
import TaktTesting

/// A server in Python on a free port of this machine, which records its requests in a file. It is
/// started by the system's own call, and ended with this object.
final class PythonServer {
  let folder: TemporaryFolder
  private(set) var port = 0
  private let pid: pid_t
  private let output: Int32
  /// The server ends when the other end of its input is closed, with this process at the latest.
  private let input: Int32

  struct Silence: Error {}

  /// The script prints its port as its first line.
  init(_ script: String, _ arguments: [String] = [], folder: TemporaryFolder? = nil) throws {
    self.folder = folder ?? TemporaryFolder()
    let guardian = """
      import os as _os, sys as _sys, threading as _threading
      _threading.Thread(target=lambda: (_sys.stdin.read(), _os._exit(0)), daemon=True).start()

      """
    let file = self.folder.write(guardian + script, to: "server-\(UUID().uuidString).py")
    (pid, input, output) = try Self.spawn(["python3", "-u", file] + arguments)
    var text = ""
    var byte = UInt8(0)
    while read(output, &byte, 1) == 1, byte != 10 { text.append(Character(UnicodeScalar(byte))) }
    guard let number = Int(text) else { throw Silence() }
    port = number
  }

  deinit {
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
    close(output)
    close(input)
  }

  private static let spawning = NSLock()

  private static func spawn(_ words: [String]) throws -> (pid_t, input: Int32, output: Int32) {
    try spawning.withLock {
      guard let first = SafePipe.make(), let second = SafePipe.make() else { throw Silence() }
      let (input, output) = ([first.read, first.write], [second.read, second.write])
      defer {
        close(input[0])
        close(output[1])
      }
      return (try Spawning.start(words, input: input[0], output: output[1]), input[1], output[0])
    }
  }

  /// Runs a program to its end and returns what it printed.
  @discardableResult
  static func run(_ words: [String]) throws -> String {
    let (pid, input, output) = try spawn(words)
    close(input)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(output, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
    close(output)
    waitpid(pid, nil, 0)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension TemporaryFolder {
  func read(_ name: String) -> String {
    (try? String(contentsOfFile: self[name], encoding: .utf8)) ?? ""
  }

  /// The values of a file with JSON, one a line.
  func values<Value: Decodable>(of name: String) throws -> [Value] {
    try read(name).split(separator: "\n").map {
      try JSONDecoder().decode(Value.self, from: Data($0.utf8))
    }
  }

  /// A self-signed certificate for `localhost` and 127.0.0.1, and its key.
  func makeCertificate() throws -> (certificate: String, key: String) {
    let (certificate, key) = (self["cert.pem"], self["key.pem"])
    try PythonServer.run([
      "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key,
      "-out", certificate, "-subj", "/CN=localhost", "-addext",
      "subjectAltName=DNS:localhost,IP:127.0.0.1",
    ])
    return (certificate, key)
  }
}
