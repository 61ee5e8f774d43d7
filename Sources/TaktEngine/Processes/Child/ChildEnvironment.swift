import Glibc
import TaktCore
import TaktSystem

/// The environment of a child, by precedence: takt's own facts, secrets, the command's variables,
/// those of the user that it runs as, inherited ones.
struct ChildEnvironment {
  /// The search path for programs if nothing sets `PATH`.
  static let standardPath = EnvironmentInheritance.standardPath

  /// `NAME=value` each.
  private(set) var block = CStringBlock()
  private(set) var path: String?
  /// The variables that a shell would leave the command; nil if the command is not started
  /// directly.
  private(set) var shell: ShellEnvironment?
  /// The names in the block so far, without takt's own facts.
  private var names: Set<String> = []

  init(
    of command: Command, mark: String, account: Account?,
    secrets: [(name: String, value: [UInt8])]
  ) {
    shell = command.direct.map { ShellEnvironment(of: $0.shell) }
    // The mark that identifies orphans comes first, so that it is found soonest.
    addFact(.attemptMark, mark)
    addFact(.instance, DaemonProcess.instance)
    for (variable, value) in command.facts { addFact(variable, value) }
    for secret in secrets { add(secret.name, secret.value) }
    let execution = command.execution
    for (name, value) in execution.environment { add(name, value) }
    let isOther = account.map { $0.uid != geteuid() } ?? false
    if let account {
      add("HOME", account.home)
      add("LOGNAME", account.name)
      add("USER", account.name)
      add("SHELL", account.shell)
      if isOther, let folder = Self.runtimeFolder(of: account.uid) {
        add("XDG_RUNTIME_DIR", folder)
      }
    }
    switch execution.inheritance {
    case .byUser where isOther: addOnly(["LANG"])
    case .byUser, .all:
      let inherited = InheritedEnvironment.shown
      if isOther {
        for variable in inherited.variables where !Self.ofSession.contains(variable.name) {
          add(variable)
        }
      } else if names.isEmpty, execution.terminal == nil {
        // The case of most jobs: there are no names to compare.
        if let start = command.direct {
          shell?.add(inherited.asLeft(by: start.shell), after: block.count)
        }
        block.append(inherited.block)
        path = inherited.path
      } else {
        for variable in inherited.variables { add(variable) }
      }
    case .only(let wanted):
      addOnly(Set(wanted))
    case .none: add("PATH", Self.standardPath)
    }
    if execution.terminal != nil { add("TERM", Self.terminalType) }
  }

  /// The default `TERM` of a job with a terminal: one that shows colours.
  private static let terminalType = "xterm-256color"

  /// Variables that lead to the session of the user who started takt: its buses, agents and
  /// displays. They are useless to a job of another user, and the services behind them would act
  /// for takt's user.
  private static let ofSession: Set<String> = [
    "DBUS_SESSION_BUS_ADDRESS", "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE", "DISPLAY",
    "GNOME_KEYRING_CONTROL", "GPG_AGENT_INFO", "ICEAUTHORITY", "KRB5CCNAME", "SESSION_MANAGER",
    "PULSE_SERVER", "SSH_AGENT_PID", "SSH_AUTH_SOCK", "STY", "TMUX", "TMUX_PANE",
    "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "XAUTHORITY",
    "XDG_RUNTIME_DIR", "XDG_SEAT", "XDG_SEAT_PATH", "XDG_SESSION_CLASS", "XDG_SESSION_DESKTOP",
    "XDG_SESSION_ID", "XDG_SESSION_PATH", "XDG_SESSION_TYPE", "XDG_VTNR",
  ]

  /// The runtime folder that the login manager has made for a user; nil if there is none.
  private static func runtimeFolder(of user: UInt32) -> String? {
    let path = "/run/user/\(user)"
    guard let status = try? FileStatus(at: path, followsLink: false) else { return nil }
    return status.type == .folder && status.owner == user ? path : nil
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
    shell?.add(name, value, at: block.count)
    block.append(name, value)
    if name == "PATH" { path = String(decoding: value, as: UTF8.self) }
  }

  private mutating func add(_ variable: InheritedEnvironment.Variable) {
    guard names.insert(variable.name).inserted else { return }
    shell?.add(variable.name, variable.value, at: block.count)
    block.append(variable.entry)
    if variable.name == "PATH" { path = String(decoding: variable.value, as: UTF8.self) }
  }
}
