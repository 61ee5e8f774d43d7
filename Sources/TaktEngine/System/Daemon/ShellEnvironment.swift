import TaktSystem

/// The part of an environment that a shell passes on to the one command that it executes.
///
/// dash drops entries whose name is not valid for a variable, sets `PWD`, and keeps the rest. bash
/// passes all on, sets `PWD` and `_`, and adds a `SHLVL` if there is none. Neither keeps the order.
struct ShellEnvironment {
  private let shell: StandardShell
  /// True if that can be predicted; otherwise the shell itself has to be started.
  private(set) var isKnown = true
  /// Indices of variables that are not passed on as they are, in ascending order.
  private(set) var dropped: [Int32] = []
  /// The index of `PWD`.
  private(set) var folder: Int32?
  private var hasLevel = false

  init(of shell: StandardShell) { self.shell = shell }

  /// The variable that the shell adds, besides those known only in the child.
  var added: String? { shell == .bash && !hasLevel ? "SHLVL=0" : nil }

  /// True if it sets `_` to the program.
  var namesProgram: Bool { shell == .bash }

  /// Adds a variable with its index in the whole environment.
  mutating func add(_ name: String, _ value: some Collection<UInt8>, at place: Int) {
    if !shell.foresees(name, bytes: value) { isKnown = false }
    if name == "PWD" {
      folder = Int32(place)
      dropped.append(Int32(place))
      return
    }
    switch shell {
    case .dash: if !Self.isName(name) { dropped.append(Int32(place)) }
    case .bash:
      if name == "_" { dropped.append(Int32(place)) }
      if name == "SHLVL" { hasLevel = true }
    }
  }

  /// Adds variables that come after `count` others.
  mutating func add(_ other: ShellEnvironment, after count: Int) {
    isKnown = isKnown && other.isKnown
    dropped += other.dropped.map { $0 + Int32(count) }
    if let place = other.folder { folder = place + Int32(count) }
    hasLevel = hasLevel || other.hasLevel
  }

  /// Called when only the shell itself can tell.
  mutating func setUnknown() { isKnown = false }

  /// True for a name that dash accepts for a variable.
  private static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }
}
