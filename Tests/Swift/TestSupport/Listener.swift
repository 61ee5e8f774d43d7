import Foundation
import Glibc
import Synchronization

/// A TCP listener on 127.0.0.1 that is none of what a test looks for.
package final class Listener: Sendable {
  package let port: Int
  private let descriptor: Int32
  private let accepted = Mutex<[Int32]>([])

  /// Never answers: connections wait in the backlog.
  package init() throws { (descriptor, port) = try Loopback.listen() }

  /// Says this to all that connect, at once, and closes at its own end, or at once.
  package convenience init(saying text: String, closes: Bool = false) throws {
    try self.init()
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return }
        _ = text.withCString { send(client, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        if closes { Glibc.close(client) } else { accepted.withLock { $0.append(client) } }
      }
    }
  }

  deinit {
    for client in accepted.withLock(\.self) { Glibc.close(client) }
    shutdown(descriptor, Int32(SHUT_RDWR))
    Glibc.close(descriptor)
  }
}
