import Testing

@testable import TaktCore
import TaktTime

/// What a reload says of keys that count at the start only.
@Suite struct SettingsReloadTests {
  private static func settings(
    _ change: (inout SchedulerSettings) -> Void = { _ in }
  ) -> SchedulerSettings {
    var settings = SchedulerSettings()
    settings.cluster = cluster("postgres://u:hunter2@a/x")
    change(&settings)
    return settings
  }

  private static func cluster(_ url: String, machine: String? = nil) -> ClusterSettings {
    ClusterSettings(engine: .postgres(url: url), machine: machine)
  }

  private func messages(after change: (inout SchedulerSettings) -> Void) -> [String] {
    let start = WallInstant(milliseconds: 1_790_000_000_000)
    var scheduler = VirtualScheduler(
      at: Now(wall: start, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000)))
    let old = Snapshot(settings: Self.settings(), jobs: [])
    _ = scheduler.send(.started(old))
    let new = Snapshot(settings: Self.settings(change), jobs: [])
    return scheduler.send(.reloaded(ReloadPlan(from: old, to: new))).compactMap { effect in
      guard case .log(let record) = effect, record.level == .warning,
        case .text(let text)? = record[.message]
      else { return nil }
      return text
    }
  }

  @Test func `a reload names exactly the keys that need a restart`() {
    #expect(messages { _ in } == [])
    #expect(messages { $0.maxRunning = 3 } == [])
    #expect(messages { $0.state = .some(.none) } == ["'state' changed, which needs a restart"])
    #expect(
      messages { $0.history.runsMax = 5 } == ["'history' changed, which needs a restart"])
    #expect(messages { $0.cluster = nil } == ["'cluster' changed, which needs a restart"])
    #expect(
      messages {
        $0.http = HTTPSettings(host: "127.0.0.1", port: 1)
        $0.cluster?.lease = .seconds(5)
      } == ["'http' and 'cluster' changed, which need a restart"])
    #expect(
      messages {
        $0.state = .folder("/x")
        $0.history.runsMax = 5
        $0.http = HTTPSettings(host: "127.0.0.1", port: 1)
        $0.cluster = nil
      } == ["'state', 'history', 'http' and 'cluster' changed, which need a restart"])
  }

  @Test func `a plan shows a cluster without where its database is`() {
    func lines(_ change: (inout SchedulerSettings) -> Void) -> [String] {
      Self.settings().differences(to: Self.settings(change))
    }
    let before = "cluster: postgres default, lease 15s, machine host name, start refuse"
    #expect(lines { $0.cluster = nil } == ["\(before) → none"])
    #expect(
      lines {
        $0.cluster?.name = "n"
        $0.cluster?.lease = .seconds(5)
        $0.cluster?.machine = "m"
        $0.cluster?.labels = ["site": "east", "disk": "fast"]
        $0.cluster?.start = .degrade
      } == [
        "\(before) → postgres n, lease 5s, machine m, labels disk=fast site=east, start degrade"
      ])
    #expect(
      lines { $0.cluster = Self.cluster("postgres://u:hunter3@a/x") }
        == ["cluster: another url, which is not shown"])
    #expect(lines { _ in } == [])
  }
}
