import Foundation
import Testing

@testable import TaktCore

@Suite struct APIAddressTests {
  @Test(arguments: [
    "http://a.example:8080 | http://a.example:8080", "https://a | https://a",
    "HTTP://A-1.x:1/ | http://a-1.x:1", "http://[::1]:80 | http://[::1]:80",
    "https://[2001:DB8::1] | https://[2001:db8::1]",
    "http://127.0.0.1:65535 | http://127.0.0.1:65535",
    "http://a_b | http://a_b", "http:// | -", "http:///x | -", "ftp://a | -", "a:80 | -",
    "http://a:0 | -", "http://a:65536 | -", "http://a: | -", "http://a:8x | -", "http://a:+1 | -",
    "http://a/path | -", "http://a?x | -", "http://u:p@a | -", "http://a b | -", "http://ä | -",
    "http://[::1 | -", "http://[a]:1 | -", "http://[::1]x | -", "http://a:1// | -",
    "javascript://a | -", "http://a\r\nb | -",
  ])
  func `the address of an API`(row: String) {
    let parts = row.components(separatedBy: " | ")
    let address = APIAddress(parts[0])
    #expect(address?.description ?? "-" == parts[1])
    // The written form is read again.
    if let address { #expect(APIAddress(address.description)?.description == parts[1]) }
  }

  @Test(arguments: [
    "8080 | -", "127.0.0.1:8080 | -", "[::1]:80 | -", "0.0.0.0:8080 | http://web-1:8080",
    "*:80 | http://web-1:80", "[::]:80 | http://web-1:80", "10.1.2.3:80 | http://10.1.2.3:80",
    "[2001:db8::1]:80 | http://[2001:db8::1]:80", "0.0.0.0:0 | -",
  ])
  func `the address that others have by default`(row: String) throws {
    let parts = row.components(separatedBy: " | ")
    let (host, port) = try #require(HTTPSettings.parse(parts[0]))
    let address = HTTPSettings(host: host, port: port).apiAddress(hostName: "web-1")
    #expect(address?.description ?? "-" == parts[1])
  }

  @Test func `a host name that is none makes no address`() {
    let http = HTTPSettings(host: "0.0.0.0", port: 80)
    for name in ["", "a b", "a/b", "ä"] { #expect(http.apiAddress(hostName: name) == nil) }
  }
}
