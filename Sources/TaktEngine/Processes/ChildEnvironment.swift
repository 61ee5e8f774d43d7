import Glibc
import TaktCore

/// The environment of a child, by precedence: takt's own facts, secrets, what the command says, what
/// belongs to the user that it runs as, what it inherits.
struct ChildEnvironment {
  /// Where programs are looked for when nobody says.
  static let standardPath = EnvironmentInheritance.standardPath

  /// `NAME=value` each.
  private(set) var block = CStringBlock()
  /// The value of `PATH`; nil when there is none.
  private(set) var path: String?
  /// What is in the block already, but for takt's own facts.
  private var names: Set<String> = []

  init(
    of command: Command, mark: String, account: Account?,
    secrets: [(name: String, value: [UInt8])]
  ) {
    // First of all the mark by which orphans are known: it is found soonest.
    addFact(.attemptMark, mark)
    addFact(.instance, DaemonProcess.instance)
    for (variable, value) in command.facts { addFact(variable, value) }
    for secret in secrets { add(secret.name, secret.value) }
    let execution = command.execution
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

  private mutating func addFact(_ variable: TaktVariable, _ value: String) {
    block.append(variable.rawValue, value.utf8)
  }

  private mutating func add(_ name: String, _ value: String) { add(name, value.utf8) }

  private mutating func add(_ name: String, _ value: some Collection<UInt8>) {
    guard !TaktVariable.names.contains(name), names.insert(name).inserted else { return }
    block.append(name, value)
    if name == "PATH" { path = String(decoding: value, as: UTF8.self) }
  }

  private mutating func add(_ variable: InheritedEnvironment.Variable) {
    guard names.insert(variable.name).inserted else { return }
    block.append(variable.entry)
    if variable.name == "PATH" { path = String(decoding: variable.value, as: UTF8.self) }
  }
}
