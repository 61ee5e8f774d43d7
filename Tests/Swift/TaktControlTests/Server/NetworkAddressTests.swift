import Foundation
import Testing

@testable import TaktControl
@testable import TaktCore

@Suite struct NetworkAddressTests {
  @Test func `there is an address when it is listened to, with the token as it is now`() throws {
    let path = NSTemporaryDirectory() + "takt-token-\(UUID().uuidString)"
    defer { unlink(path) }
    let network = NetworkAddress()
    #expect(network.address == nil)
    network.set("http://127.0.0.1:8080", tokenFile: path)
    #expect(network.address == nil)
    for token in ["0123456789abcdef", "fedcba9876543210"] {
      try Data("\(token)\n".utf8).write(to: URL(fileURLWithPath: path))
      chmod(path, 0o600)
      #expect(network.address == "http://127.0.0.1:8080/#token=\(token)")
    }
    chmod(path, 0o644)
    #expect(network.address == nil)
  }

  @Test func `an address of IPv6 stands in brackets`() async throws {
    #expect(
      ControlServer.Place.network(.init(host: "::1", port: 80), tokenFile: "t").description
        == "[::1]:80")
    #expect(ControlServer.Place.socket(path: "/a.sock").description == "/a.sock")
  }
}
