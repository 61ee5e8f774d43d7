import Foundation
import Synchronization
import Testing

@testable import TaktControl

/// The file of the Unix socket, and the daemons that may listen there.
@Suite struct SocketPlaceTests {
  @Test func `the socket is its owner's alone, and goes with the control`() async throws {
    let world = try await ControlWorld()
    var status = stat()
    #expect(lstat(world.socket, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(SocketPlace.isThere(world.socket))
    world.server.close()
    #expect(!SocketPlace.isThere(world.socket))
  }

  @Test(.enabled(if: geteuid() == 0, "the socket of another user takes root"))
  func `a socket of another user is believed only as that of the jobs file's owner`() async throws {
    let world = try await ControlWorld()
    #expect(chown(world.socket, 47_321, 0) == 0)
    #expect(SocketPlace.finding(at: world.socket) == .foreign(owner: 47_321))
    #expect(SocketPlace.finding(at: world.socket, jobsFileOf: 47_322) == .foreign(owner: 47_321))
    #expect(SocketPlace.finding(at: world.socket, jobsFileOf: 47_321) == .socket)
  }

  @Test func `another daemon that answers keeps its place`() async throws {
    let world = try await ControlWorld()
    let trouble = try await #require(throws: ControlError.self) {
      _ = try await world.listen(at: .socket(path: world.socket))
    }
    #expect(trouble.message == "another daemon is running (socket \(world.socket))")
    #expect(try world.get("/healthz").status == 200)
  }

  @Test func `what a killed daemon has left is replaced`() async throws {
    let world = try await ControlWorld()
    let path = world.folder + "/left.sock"
    let left = try SocketServer { _ in }
    try FileManager.default.moveItem(atPath: left.path, toPath: path)
    left.stop()
    // The thread that accepts closes the listener.
    while (try? Wire(socket: path, of: world)) != nil {}
    #expect(try await world.listen(at: .socket(path: path)) == path)
    let wire = try Wire(socket: path, of: world)
    wire.send("GET", "/healthz", nil)
    #expect(try wire.reply().status == 200)
  }

  @Test func `what is no socket is not touched`() async throws {
    let world = try await ControlWorld()
    let path = world.folder + "/file"
    try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
    let trouble = try await #require(throws: ControlError.self) {
      _ = try await world.listen(at: .socket(path: path))
    }
    #expect(trouble.message == "\(path) is there and is no socket")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    #expect(!SocketPlace.isThere(path) && !SocketPlace.isThere(path + "x"))
  }

  @Test func `a socket that another daemon has put there meanwhile stays`() async throws {
    let world = try await ControlWorld()
    let other = try SocketServer { _ in }
    try FileManager.default.removeItem(atPath: world.socket)
    try FileManager.default.moveItem(atPath: other.path, toPath: world.socket)
    world.server.close()
    #expect(SocketPlace.isThere(world.socket))
  }

  @Test func `a folder that is not there is said`() async throws {
    let world = try await ControlWorld()
    await #expect(throws: ControlError.self) {
      _ = try await world.listen(at: .socket(path: world.folder + "/none/control.sock"))
    }
  }

  @Test func `where the state folder takes no socket, it is at the next place`() async throws {
    let world = try await ControlWorld()
    let (first, next) = (world.folder + "/none/control.sock", world.folder + "/next.sock")
    let passed = Mutex<[String]>([])
    let result = await withCheckedContinuation { continuation in
      world.server.listen(
        atFirstOf: [first, next], passing: { path, _ in passed.withLock { $0.append(path) } },
        done: { continuation.resume(returning: $0) })
    }
    #expect(try result.get() == next)
    #expect(passed.withLock { $0 } == [first])
    let wire = try Wire(socket: next, of: world)
    wire.send("GET", "/healthz", nil)
    #expect(try wire.reply().status == 200)
  }
}
