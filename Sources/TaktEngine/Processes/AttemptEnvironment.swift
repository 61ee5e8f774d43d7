import Glibc
import TaktCore
import TaktTime

/// The environment of a child, by precedence: takt's own facts, secrets, what the job says, what
/// belongs to the user that it runs as, what it inherits.
struct AttemptEnvironment {
  /// Where programs are looked for when nobody says.
  static let standardPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

  /// `NAME=value` each.
  private(set) var block = CStringBlock()
  /// The value of `PATH`; nil when there is none.
  private(set) var path: String?
  /// What is in the block already, but for takt's own facts.
  private var names: Set<String> = []

  init(
    of request: AttemptRequest, mark: String, account: Account?,
    secrets: [(name: String, value: [UInt8])]
  ) {
    addFacts(of: request, mark: mark)
    for secret in secrets { add(secret.name, secret.value) }
    let execution = request.spec.execution
    for (name, value) in execution.environment { add(name, value) }
    if let account {
      add("HOME", account.home)
      add("LOGNAME", account.name)
      add("USER", account.name)
      add("SHELL", account.shell)
    }
    switch execution.inheritance {
    case .byUser where account.map({ $0.uid != geteuid() }) ?? false: addOnly(["LANG"])
    case .byUser, .all:
      let inherited = InheritedEnvironment.shown
      if names.isEmpty {
        // As for most jobs: there is nothing to compare, name by name.
        block.append(inherited.block)
        path = inherited.path
      } else {
        for variable in inherited.variables { add(variable) }
      }
    case .only(let wanted):
      addOnly(Set(wanted))
    case .none: add("PATH", Self.standardPath)
    }
  }

  private mutating func addOnly(_ wanted: Set<String>) {
    for variable in InheritedEnvironment.variables where wanted.contains(variable.name) {
      add(variable)
    }
    add("PATH", Self.standardPath)
  }

  /// First of all the mark by which orphans are known: it is found soonest.
  private mutating func addFacts(of request: AttemptRequest, mark: String) {
    addFact(AttemptMark.attemptVariable, mark)
    addFact(AttemptMark.instanceVariable, AttemptMark.instance)
    // A service is no run of a job.
    guard request.service == nil else { return }
    addFact("TAKT_JOB", request.spec.name.text)
    addFact("TAKT_SLOT", request.slot.rfc3339())
    guard let facts = request.facts else {
      addFact("TAKT_RUN", request.run.description)
      addFact("TAKT_ATTEMPT", String(request.attempt))
      return
    }
    addFact("TAKT_HOOK", facts.hook.rawValue)
    addFact("TAKT_RUN", facts.run.description)
    addFact("TAKT_ATTEMPT", String(facts.attempts))
    addFact("TAKT_OUTCOME", facts.end?.outcome.rawValue ?? "")
    addFact("TAKT_REASON", facts.end.map { "\($0.reason)" } ?? "")
    addFact("TAKT_DURATION_MS", String(facts.duration.milliseconds))
    addFact("TAKT_LATE_MS", String(facts.lateness.milliseconds))
    addFact("TAKT_STREAK", String(facts.failureStreak))
    addFact("TAKT_OUTPUT", Self.text(of: facts.output))
  }

  /// The end of an output as text that an environment can hold.
  static func text(of output: KeptOutput) -> String {
    output.endText(bytesMax: HookFacts.outputBytesMax).filter { $0 != "\0" }
  }

  private mutating func addFact(_ name: String, _ value: String) { block.append(name, value.utf8) }

  private mutating func add(_ name: String, _ value: String) { add(name, value.utf8) }

  private mutating func add(_ name: String, _ value: some Collection<UInt8>) {
    guard !AttemptMark.ownVariables.contains(name), names.insert(name).inserted else { return }
    block.append(name, value)
    if name == "PATH" { path = String(decoding: value, as: UTF8.self) }
  }

  private mutating func add(_ variable: InheritedEnvironment.Variable) {
    guard names.insert(variable.name).inserted else { return }
    block.append(variable.entry)
    if variable.name == "PATH" { path = String(decoding: variable.value, as: UTF8.self) }
  }
}
