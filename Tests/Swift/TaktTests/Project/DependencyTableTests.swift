import TestSupport
import Testing

/// The table of dependencies in the docs, against Package.swift.
@Suite struct DependencyTableTests {
  private static func text(_ name: String) throws -> String {
    try Repository.text(name)
  }

  @Test func `the table of dependencies names the packages and versions of Package.swift`() throws {
    let package = try Self.text("Package.swift")
    let wanted = package.matches(of: #/\.package\(\s*url: "[^"]*\/([^"\/]+)", from: "([^"]+)"/#)
      .map { "\($0.1) \($0.2)" }
    let named = try Self.text("docs/internals/releasing.md")
      .matches(of: #/(?m)^\| ([A-Za-z.-]+) \| ([0-9.]+) \|/#).map { "\($0.1) \($0.2)" }
    #expect(!wanted.isEmpty)
    #expect(named.sorted() == wanted.sorted())
  }
}
