import TaktCore
import Testing

@testable import TaktConfig

@Suite struct ReadTokenTests {
  @Test func `it is named from the folder of the jobs file`() throws {
    let loaded = load(
      "scheduler: {http: {listen: 8080, read_token_file: reader}}\njobs: {a: {every: 1h, run: x}}\n"
    )
    #expect(loaded.diagnostics.isEmpty)
    let path = try #require(loaded.snapshot?.settings.http?.readTokenFile)
    #expect(path.hasPrefix("/") && path.hasSuffix("/reader"))
  }

  @Test func `one file cannot be both tokens`() {
    let loaded = load(
      "scheduler: {http: {listen: 8080, token_file: t, read_token_file: ./t}}\n"
        + "jobs: {a: {every: 1h, run: x}}\n")
    #expect(
      loaded.diagnostics.map(\.message) == ["'read_token_file' and 'token_file' name the same file"]
    )
    #expect(loaded.snapshot == nil)
  }

  @Test(arguments: [".takt/token", "./.takt/token", "state/token"])
  func `the file of the token that takt creates cannot be the other one`(path: String) {
    let state = path.hasPrefix("state") ? "state: state, " : ""
    let loaded = load(
      "scheduler: {\(state)http: {listen: 8080, read_token_file: \(path)}}\n"
        + "jobs: {a: {every: 1h, run: x}}\n")
    #expect(
      loaded.diagnostics.map(\.message)
        == ["'read_token_file' names the file of the token that may do everything"])
    #expect(loaded.diagnostics.first?.location.line == 1)
  }
}
