import CDispatch
import Glibc

/// Sockets between the tests and what they talk to on this machine.
package enum Loopback {
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  /// A port of 127.0.0.1 on which nothing listened a moment ago.
  package static func freePort() throws -> Int {
    let (descriptor, port) = try listen()
    close(descriptor)
    return port
  }

  /// A socket that listens on a free port of 127.0.0.1.
  package static func listen() throws -> (descriptor: Int32, port: Int) {
    let (descriptor, address) = open(port: 0)
    var bound = address
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // The address of a local variable, for the time of the call.
    let isBound = withUnsafeMutablePointer(to: &bound) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && Glibc.listen(descriptor, 64) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw Failure(description: "bind: \(errno)") }
    return (descriptor, Int(UInt16(bigEndian: bound.sin_port)))
  }

  /// A connection to a port of 127.0.0.1, and `errno` where there is none.
  package static func connect(port: UInt16) -> (descriptor: Int32, error: Int32) {
    var (descriptor, address) = open(port: port)
    // The address of a local variable, for the time of the call.
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    let error = result == 0 ? 0 : errno
    limitWaiting(on: descriptor)
    return (descriptor, error)
  }

  /// A test that waits a minute has failed.
  package static func limitWaiting(on descriptor: Int32) {
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  /// Sends all of it; false when the other end has closed.
  package static func sendAll(_ bytes: [UInt8], on descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func open(port: UInt16) -> (descriptor: Int32, address: sockaddr_in) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return (descriptor, address)
  }
}
