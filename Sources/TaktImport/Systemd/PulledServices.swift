import TaktCore

/// Services that systemd starts together with those of timers: pruning after a backup, a mount
/// before it. They need no timer of their own.
struct PulledServices {
  let context: ImportContext
  let store: UnitStore

  private var report: ImportReport { context.report }
  private static let keys: Set<String> = ["Wants", "Requires", "BindsTo", "Upholds"]
  private static let strictKeys: Set<String> = ["Requires", "BindsTo"]
  /// The most services that are followed from one job.
  private static let servicesMax = 30
  private static let timeKeys: [JobKey] = [
    .on, .every, .from, .calendar, .spread, .jitter, .leeway, .missed,
  ]

  /// True if an assignment of a service makes systemd start another one.
  static func pulls(_ entry: UnitEntry) -> Bool {
    entry.section == "Unit" && keys.contains(entry.key) && !services(in: entry.value).isEmpty
  }

  private static func services(in value: String) -> [String] {
    value.split(separator: " ").map(String.init).filter { $0.hasSuffix(".service") }
  }

  /// A service and another that it pulls in.
  private struct Pull {
    var service: Unit
    var job: String
    var name: String
    var isStrict: Bool
    var place: SourceLocation
  }

  /// Examines the services of all jobs, once all are known.
  func run() {
    for (service, job) in store.services {
      var seen: Set<String> = [service.name]
      follow(service, job, owner: job, &seen)
    }
  }

  /// - Parameter owner: the job of the import that gets the proposals as comments.
  private func follow(_ service: Unit, _ job: String, owner: String, _ seen: inout Set<String>) {
    var named: Set<String> = []
    for entry in service.entries where Self.pulls(entry) {
      var worst = ImportReport.Fate.kept
      for word in Self.services(in: entry.value) {
        let name = Specifiers(unit: service, manager: store.manager).expand(word).text
        named.insert(name)
        let pull = Pull(
          service: service, job: job, name: name, isStrict: Self.strictKeys.contains(entry.key),
          place: entry.place)
        worst = max(worst, settle(pull, owner: owner, &seen))
      }
      switch worst {
      case .kept: report.keep(entry, as: "nothing to start", in: owner)
      case .differently: report.differ(entry, "in 'after' of the other job", in: owner)
      case .lost: report.lose(entry, "systemd starts it, too, and takt does not", in: owner)
      }
    }
    // The services of the folders beside it.
    for name in store.wants(of: service)
    where name.hasSuffix(".service") && named.insert(name).inserted {
      let pull = Pull(
        service: service, job: job, name: name, isStrict: false, place: service.place)
      _ = settle(pull, owner: owner, &seen)
    }
  }

  private func settle(
    _ pull: Pull, owner: String, _ seen: inout Set<String>
  ) -> ImportReport.Fate {
    guard seen.insert(pull.name).inserted else { return .kept }
    guard seen.count <= Self.servicesMax else {
      report.note("systemd starts still more services; only some are named", at: pull.place)
      return .lost
    }
    let other: Unit
    switch store.find(pull.name) {
    case .masked: return .kept
    case .missing:
      report.note(
        "systemd starts \(pull.name), too, and takt does not; there is no such unit here",
        at: pull.place)
      return .lost
    case .unit(let unit): other = unit
    }
    for entry in other.entries where report.isOpen(entry.tokens[0]) {
      report.keep(entry, as: "no job of this import is made of it")
    }
    guard other.isOneshot, other.flag("Service", "RemainAfterExit") != true else {
      let step = pull.isStrict ? "" : ", continue: ignore"
      report.note(
        "systemd starts \(pull.name), too, unless it is active, and takt does not: start it at the "
          + "boot, or begin '\(pull.job)' with the step {run: [\(store.manager.systemctl.joined(separator: ", ")), start, "
          + "\(pull.name)]\(step)}", at: pull.place)
      return .lost
    }
    let job = store.services.first { $0.unit.name == other.name }?.job
    guard let job else {
      propose(other, for: pull, owner: owner, &seen)
      return .lost
    }
    return join(job, of: other, to: pull)
  }

  /// Links the jobs if the other service is one, too.
  private func join(_ job: String, of other: Unit, to pull: Pull) -> ImportReport.Fate {
    let after = "{job: \(pull.job), on: \(other.needs(pull.service) ? "success" : "any")}"
    switch order(of: other, pull) {
    case .after where isSame(job, of: other, pull):
      context.edit(job) {
        $0[.after] = .mapping([
          "job": .text(pull.job), "on": .word(other.needs(pull.service) ? "success" : "any"),
        ])
      }
      return .differently
    case .after:
      report.note(
        "systemd starts \(pull.name) after each run of '\(pull.job)', and takt does not; add "
          + "'after: \(after)' to '\(job)'", at: pull.place)
    case .before:
      report.note(
        "systemd starts \(pull.name) before each run of '\(pull.job)', and takt does not; give "
          + "'\(job)' its times, too, and '\(pull.job)' "
          + "'after: {job: \(job), on: \(pull.isStrict ? "success" : "any")}' instead of them",
        at: pull.place)
    case .together:
      report.note(
        "systemd starts \(pull.name) together with '\(pull.job)', and takt does not; give "
          + "'\(job)' its times, too", at: pull.place)
    }
    return .lost
  }

  /// True if `after` starts the other job exactly when systemd does: after each start that systemd
  /// allows, and never the other way round.
  private func isSame(_ job: String, of other: Unit, _ pull: Pull) -> Bool {
    guard let first = context.jobs.first(where: { $0.name == pull.job }),
      let second = context.jobs.first(where: { $0.name == job })
    else { return false }
    let isPulledBack = other.entries.contains {
      Self.pulls($0) && Self.services(in: $0.value).contains(pull.service.name)
    }
    return job != pull.job && !isPulledBack && second[.after] == nil && first[.after] == nil
      && first[.enabled] == nil && second[.enabled] == nil && first[.onlyIf] == nil
      && first[.retry] == nil
      && store.services.filter { $0.unit.name == pull.service.name }.count == 1
  }

  private enum Turn { case before, after, together }

  private func order(of other: Unit, _ pull: Pull) -> Turn {
    if pull.service.comesAfter(other) { return .before }
    // A service of another type has started long before it ends.
    return other.comesAfter(pull.service) && pull.service.isOneshot ? .after : .together
  }

  /// Writes the missing job as a comment above the one that needs it.
  private func propose(
    _ other: Unit, for pull: Pull, owner: String, _ seen: inout Set<String>
  ) {
    // A separate report, since these words are not part of the import.
    let scratch = ImportContext(context.options, tree: context.tree, accounts: context.accounts)
    var draft = JobDraft(name: context.newName(like: other.stem))
    ServiceImport(context: scratch, unit: other, manager: store.manager).add(to: &draft)
    draft[.overlap] = .word("queue")
    let order = order(of: other, pull)
    var instead: [String] = []
    switch order {
    case .after:
      let end = other.needs(pull.service) ? "success" : "any"
      draft[.after] = .mapping(["job": .text(pull.job), "on": .word(end)])
    case .before, .together:
      let first = context.jobs.first { $0.name == owner }
      for key in Self.timeKeys { draft[key] = first?[key] }
      if order == .before {
        instead = [
          "and in '\(pull.job)', instead of its times:",
          "    after: {job: \(draft.name), on: \(pull.isStrict ? "success" : "any")}",
        ]
      }
    }
    // Without the empty line and the `jobs:` above it.
    let lines = JobsFileText(header: [], jobs: [draft], groups: []).text
      .split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2).dropLast()
      .map(String.init)
    let words = [Turn.before: "before", .after: "after", .together: "together with"]
    let when = "\(words[order] ?? "") each run of '\(pull.job)'"
    context.edit(owner) {
      $0.comments += ["systemd starts \(other.name) \(when); to keep that, add the job"]
      $0.comments += lines + instead
    }
    report.note(
      "systemd starts \(other.name) \(when), and takt does not; the comment above '\(owner)' has a "
        + "job for it", at: pull.place)
    follow(other, draft.name, owner: owner, &seen)
  }
}

extension Unit {
  /// True if a start of it lasts until its commands have ended.
  var isOneshot: Bool {
    last("Service", "Type")?.value == "oneshot"
      || last("Service", "Type") == nil && last("Service", "ExecStart") == nil
  }

  fileprivate func names(_ other: Unit, in keys: [String]) -> Bool {
    entries.contains {
      $0.section == "Unit" && keys.contains($0.key)
        && $0.value.split(separator: " ").contains(Substring(other.name))
    }
  }

  /// True if systemd starts it after the other one, if it starts both.
  fileprivate func comesAfter(_ other: Unit) -> Bool {
    names(other, in: ["After"]) || other.names(self, in: ["Before"])
  }

  /// True if it does not start when the other one has failed.
  fileprivate func needs(_ other: Unit) -> Bool {
    names(other, in: ["Requires", "BindsTo", "Requisite"])
  }
}
