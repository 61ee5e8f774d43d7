import Foundation
import Testing

@testable import TaktCore

@Suite struct HTTPSettingsTests {
  @Test(arguments: [
    "https://a | ", "http://a:80 | ", "https://[::1]:80/takt | /takt", "https://a/takt | /takt",
    "https://a/ops/takt-2.x_y | /ops/takt-2.x_y", "https://a/takt/api | /takt/api",
    "https://a/takt/ | -", "https://a// | -", "https://a//takt | -", "https://a/x//y | -",
    "https://a/. | -", "https://a/.. | -", "https://a/x/../y | -", "https://a/%74akt | -",
    "https://a/x%2fy | -", "https://a/x\\y | -", "https://a/x;y | -", "https://a/~x | -",
    "https://a/api | -", "https://a/api/v1 | -", "https://a/healthz | -", "https://a/metrics/x | -",
    "https://a/apis | /apis",
  ])
  func `the path below which takt answers`(row: String) {
    let parts = row.components(separatedBy: " | ")
    #expect(HTTPSettings.publicPath(of: parts[0]) ?? "-" == parts[1])
    var settings = HTTPSettings(host: "127.0.0.1", port: 80)
    settings.publicURL = parts[0]
    #expect(settings.publicPath == (parts[1] == "-" ? "" : parts[1]))
  }
}
