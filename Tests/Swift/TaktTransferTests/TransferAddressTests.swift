import Testing

@testable import TaktTransfer

/// Valid hosts, and their form in a URL.
@Suite struct TransferAddressTests {
  @Test(arguments: [
    ("example.org", "http://example.org:80"), ("10.0.0.1", "http://10.0.0.1:80"),
    ("::1", "http://[::1]:80"), ("fe80::1%eth0", "http://[fe80::1%25eth0]:80"),
    ("under_score.-", "http://under_score.-:80"),
  ])
  func `a host stands in a URL as what it is`(host: String, url: String) throws {
    #expect(try TransferAddress(scheme: "http", host: host, port: 80).text() == url)
  }

  @Test(arguments: [
    "", "a b", "a@b", "a/b", "a:b", "a?b", "a#b", "a\\b", "[::1]", "a\r\nb", "a\u{0}b", "::1%",
    "::1%a/b",
    "ü@b", String(repeating: "a", count: 256),
  ])
  func `what would be read as another part of a URL is no host`(host: String) {
    #expect(!TransferAddress.isHost(host))
    #expect(throws: TransferFailure.self) {
      try TransferAddress(scheme: "http", host: host).text()
    }
  }

  @Test func `a name in other letters is asked for in its ASCII form`() throws {
    #expect(TransferAddress.isHost("müller.example"))
    #expect(
      try TransferAddress(scheme: "https", host: "müller.example").text()
        == "https://xn--mller-kva.example")
  }
}
