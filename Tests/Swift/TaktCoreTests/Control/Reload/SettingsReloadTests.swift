import Testing

@testable import TaktCore
import TaktTime

/// A reload's messages about keys that take effect at the start only.
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
    #expect(messages { $0.history.runsMax = 5 } == ["'history' changed, which needs a restart"])
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

  @Test func `a cluster keeps the settings that takt has joined with, whatever a reload says`() {
    let start = WallInstant(milliseconds: 1_790_000_000_000)
    let facts = MemberFacts(
      machine: "m", labels: ["site": "east"], lease: .seconds(15), grace: .zero)
    var scheduler = VirtualScheduler(
      at: Now(wall: start, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000)),
      core: SchedulerCore(cluster: facts))
    let old = Snapshot(settings: Self.settings(), jobs: [])
    _ = scheduler.send(.started(old))
    let new = Snapshot(
      settings: Self.settings {
        $0.maxRunning = 3
        $0.cluster?.lease = .seconds(60)
        $0.cluster?.name = "other"
        $0.cluster?.labels = ["site": "west"]
      }, jobs: [])
    for _ in 1...2 {
      let effects = scheduler.send(.reloaded(ReloadPlan(from: old, to: new)))
      // The message repeats as long as it is true.
      #expect(effects.contains { $0.isWarning("'cluster' changed, which needs a restart") })
    }
    let view = scheduler.core.clusterView(at: scheduler.now)
    #expect(view?.settings == old.settings.cluster)
    #expect(view?.facts.lease == .seconds(15) && view?.facts.labels == ["site": "east"])
    #expect(scheduler.core.view.settings.maxRunning == 3)
    // The file has its first text again.
    let effects = scheduler.send(.reloaded(ReloadPlan(from: new, to: old)))
    #expect(!effects.contains { $0.isWarning("'cluster' changed, which needs a restart") })
  }

  @Test func `a stop waits for no engine that has never answered`() {
    let start = WallInstant(milliseconds: 1_790_000_000_000)
    var scheduler = VirtualScheduler(
      at: Now(wall: start, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000)),
      core: SchedulerCore(cluster: MemberFacts(machine: "m", lease: .seconds(15), grace: .zero)))
    let effects = scheduler.send(.started(Snapshot(settings: Self.settings(), jobs: [])))
    let joins = effects.contains { if case .claims = $0 { true } else { false } }
    #expect(joins)
    _ = scheduler.send(.claims(.failed(number: 1, ClaimFailure("It is down."))))
    #expect(scheduler.send(.stop).contains(.finish))
  }

  @Test func `only a cluster that comes or goes needs a restart to be taken at all`() {
    func refusal(_ change: (inout SchedulerSettings) -> Void) -> String? {
      Self.settings().restartRefusal(to: Self.settings(change), in: "f.yaml")?.headline
    }
    #expect(refusal { _ in } == nil)
    #expect(refusal { $0.cluster = Self.cluster("postgres://b/y", machine: "m") } == nil)
    #expect(
      refusal { $0.cluster = nil }
        == "f.yaml: error: 'cluster' was removed under 'scheduler'; restart takt to apply this file"
    )
    #expect(
      SchedulerSettings().restartRefusal(to: Self.settings(), in: "f.yaml")?.headline
        == "f.yaml: error: 'cluster' was added under 'scheduler'; restart takt to apply this file")
    #expect(SchedulerSettings().restartRefusal(to: SchedulerSettings(), in: "f.yaml") == nil)
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

extension SchedulerEffect {
  fileprivate func isWarning(_ text: String) -> Bool {
    guard case .log(let record) = self, record.level == .warning else { return false }
    return record[.message] == .text(text)
  }
}
