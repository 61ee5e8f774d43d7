import Testing

@testable import TaktConfig

struct KeyRowsTests {
  private static let tables =
    [KeyTable.root, KeyTable.scheduler, KeyTable.job, KeyTable.plugin]
    + KeyTable.parts.map(\.entries)

  @Test func `each key of a table is found by its name`() {
    for table in Self.tables {
      for entry in table { #expect(table[entry.name] === entry) }
    }
  }

  @Test(arguments: ["", "evry", "EVERY", "every ", "e", String(repeating: "e", count: 5000)])
  func `what is no key is not found`(name: String) {
    for table in Self.tables { #expect(table[name] == nil) }
  }

  @Test func `each key of a job is known by one object`() {
    let keys = KeyTable.job.compactMap(\.key)
    #expect(keys.count == KeyTable.job.count)
    #expect(Set(keys.map(ObjectIdentifier.init)).count == keys.count)
  }
}
