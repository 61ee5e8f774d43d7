import TaktEngine
import TaktTime
import Testing

/// The digest of zone data, which machines compare.
struct ZoneDigestTests {
  private func zone(_ rule: String) throws -> Zone {
    // A file of version 2 without transitions, whose footer is the rule.
    func header(_ version: UInt8) -> [UInt8] {
      Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
        + [UInt8](repeating: 0, count: 12) + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
    }
    let body: [UInt8] = [0, 0, 0, 0, 0, 0] + Array("UTC\0".utf8)
    let bytes = header(0x32) + body + header(0x32) + body + Array("\n\(rule)\n".utf8)
    return try #require(Zone(name: "Test/Zone", tzif: bytes))
  }

  @Test func `equal rules have equal digests, and others have others`() throws {
    let rules = [
      "CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0/1,M10.5.0/3", "CET-1CEST,M3.4.0,M10.5.0/3",
      "CET-1", "<+02>-2", "UTC0",
    ]
    let digests = try rules.map { try zone($0).digest }
    #expect(Set(digests).count == rules.count)
    #expect(try zone(rules[0]).digest == digests[0])
  }

  @Test func `zones of the system that are one have one digest`() throws {
    let files = ZoneFiles()
    let berlin = try #require(files.zone(named: "Europe/Berlin"))
    let oslo = try #require(files.zone(named: "Europe/Oslo"))
    let london = try #require(files.zone(named: "Europe/London"))
    #expect(berlin.digest == oslo.digest)
    #expect(berlin.digest != london.digest)
  }
}
