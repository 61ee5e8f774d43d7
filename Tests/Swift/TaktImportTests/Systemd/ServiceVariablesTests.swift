import TaktCore
import Testing

@testable import TaktImport

/// What systemd does with the variables of a service, and what takt has of it.
@Suite struct ServiceVariablesTests {
  private func result(_ service: String, file: String? = nil) throws -> Importer.Result {
    let fixture = try ImportFixture()
    if let file { try fixture.write(file, to: "etc/default/x") }
    try fixture.write("[Timer]\nOnCalendar=daily\n", to: "u/x.timer")
    try fixture.write("[Service]\nType=oneshot\n\(service)\n", to: "u/x.service")
    return fixture.run("/u/x.timer")
  }

  private func values(_ value: DraftValue?) -> [String: String] {
    guard case .map(let entries)? = value else { return [:] }
    return Dictionary(entries.map { ($0.key, $0.value.texts.joined()) }) { $1 }
  }

  @Test(arguments: [
    ("RuntimeDirectory=a", ["RUNTIME_DIRECTORY": "/run/a"]),
    (
      "StateDirectory=a b/c\nStateDirectory=d",
      ["STATE_DIRECTORY": "/var/lib/a:/var/lib/b/c:/var/lib/d"]
    ),
    ("CacheDirectory='a b'", ["CACHE_DIRECTORY": "/var/cache/a b"]),
    ("LogsDirectory=%p", ["LOGS_DIRECTORY": "/var/log/x"]),
    ("ConfigurationDirectory=a:link", ["CONFIGURATION_DIRECTORY": "/etc/a"]),
    ("CacheDirectory=a//./b/", ["CACHE_DIRECTORY": "/var/cache/a/b"]),
    ("CacheDirectory=a\nCacheDirectory=", [:]), ("CacheDirectory=/a ../b", [:]),
    ("CacheDirectory=a\nEnvironment=CACHE_DIRECTORY=/srv", ["CACHE_DIRECTORY": "/srv"]),
    ("CacheDirectory=a\nUnsetEnvironment=CACHE_DIRECTORY", [:]),
  ])
  func `the variable of a folder that systemd makes is kept`(
    service: String, variables: [String: String]
  ) throws {
    let result = try result(service + "\nExecStart=/bin/true")
    #expect(values(result.jobs.first?[.environment]) == variables)
    _ = try ImportFixture.load(result.text)
    #expect(result.jobs.first?[.enabled] == nil)
  }

  @Test func `a folder for logs is to be made, like the others`() throws {
    let result = try result("LogsDirectory=a\nExecStart=/bin/true")
    #expect(result.report.losses(.changesRun).map(\.token.text) == ["LogsDirectory=a"])
  }
}
