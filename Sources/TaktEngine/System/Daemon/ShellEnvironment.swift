import TaktCore
import TaktSystem

/// What a shell passes on of an environment to the one command that it executes.
///
/// dash drops what has no name for a variable, sets `PWD`, and keeps the rest. bash passes all on, sets
/// `PWD` and `_`, and adds a `SHLVL` where there is none. Neither keeps the order.
struct ShellEnvironment {
  private let shell: StandardShell
  /// Whether that is known; the shell itself has to be started otherwise.
  private(set) var isKnown = true
  /// Places of variables that are not passed on as they are, in ascending order.
  private(set) var dropped: [Int32] = []
  /// The place of `PWD`.
  private(set) var folder: Int32?
  private var hasLevel = false

  init(of shell: StandardShell) { self.shell = shell }

  /// What the shell adds, besides what is known in the child alone.
  var added: String? { shell == .bash && !hasLevel ? "SHLVL=0" : nil }

  /// Whether it names the program in `_`.
  var namesProgram: Bool { shell == .bash }

  /// Takes a variable at its place among all.
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

  /// Takes variables that come after `count` others.
  mutating func add(_ other: ShellEnvironment, after count: Int) {
    isKnown = isKnown && other.isKnown
    dropped += other.dropped.map { $0 + Int32(count) }
    if let place = other.folder { folder = place + Int32(count) }
    hasLevel = hasLevel || other.hasLevel
  }

  /// Only the shell itself can tell.
  mutating func setUnknown() { isKnown = false }

  /// What dash takes for the name of a variable.
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
