import Glibc
import Synchronization
import TaktCore
import TaktSystem
import TaktTime

/// takt's part of the hierarchy of control groups: a group for each command, and one for takt.
///
/// `OWN/takt-INSTANCE/daemon` holds takt, `OWN/takt-INSTANCE/1`, `2` … the commands, where `OWN` is
/// the group in which takt was started. Used if takt may make groups there: as root, or if a
/// service manager has delegated it (`Delegate=yes`). A command's limits are set on its group. Safe
/// from any thread.
final class ControlGroups: Sendable {
  struct Unavailable: Error {
    let reason: String
  }

  /// Set to `off`, it makes takt do without control groups.
  static let variable = "TAKT_CGROUP"

  /// The group in which takt was started, derived from its present one.
  static func outerGroup(of group: String) -> String {
    let moved = "/\(prefix)\(DaemonProcess.instance)/\(daemonName)"
    guard group.hasSuffix(moved) else { return group }
    let outer = String(group.dropLast(moved.utf8.count))
    return outer.isEmpty ? "/" : outer
  }

  private static let daemonName = "daemon"
  private static let prefix = "takt-"

  private struct State {
    var free: [ControlGroup] = []
    /// Groups that still have processes after their command is over.
    var populated: [ControlGroup] = []
    var lastNumber = 0
    /// The controllers that takt has enabled in the group in which it was started.
    var shared: Set<GroupController> = []

    mutating func popFree() -> ControlGroup? {
      let group = free.popLast()
      group?.meter.begin()
      return group
    }

    /// Takes back a group; its name in the folder is its number.
    mutating func put(_ group: ControlGroup, in folder: Int32, isEmpty: Bool = false) {
      guard isEmpty || !group.isPopulated else {
        group.meter.outlast()
        return populated.append(group)
      }
      group.removeSubgroups()
      if group.isReusable {
        free.append(group)
      } else {
        ControlGroupFolder.remove(
          group.path.split(separator: "/").last.map(String.init) ?? "", in: folder)
      }
    }

    mutating func sweep(_ folder: Int32) {
      let all = populated
      populated = []
      for group in all { put(group, in: folder) }
    }
  }

  /// The folder of the group in which takt was started.
  private let outer: Int32
  private let own: Int32
  private let name: String
  private let path: String
  /// The folder that holds the groups of commands.
  var folder: Int32 { own }
  private let watch = ControlGroupWatch()
  private let state = Mutex(State())

  /// Makes takt's groups, moves takt to its own, and removes empty groups of previous daemons.
  init() throws(Unavailable) {
    if getenv(Self.variable).map({ String(cString: $0) }) == "off" {
      throw Unavailable(reason: "\(Self.variable)=off")
    }
    guard let path = ControlGroup.group(of: getpid()) else {
      throw Unavailable(reason: "the kernel has no cgroup v2")
    }
    guard let folder = ControlGroupMount.folder(of: path) else {
      throw Unavailable(reason: "no mounted cgroup v2 hierarchy contains \(path)")
    }
    let outer = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard outer >= 0 else { throw Self.failure(folder) }
    let name = Self.prefix + DaemonProcess.instance
    guard mkdirat(outer, name, 0o755) == 0, let own = ControlGroupFolder.open(name, in: outer)
    else {
      let failure = Self.failure(folder)
      Glibc.close(outer)
      throw failure
    }
    self.outer = outer
    self.own = own
    self.name = name
    self.path = (path == "/" ? "" : path) + "/" + name
    do throws(Unavailable) {
      try moveIn(folder)
    } catch {
      close()
      throw error
    }
    for other in ControlGroupFolder.names(in: outer)
    where other.hasPrefix(Self.prefix) && other != name && Self.isLeft(other, in: outer) {
      ControlGroupFolder.remove(other, in: outer)
    }
  }

  /// Moves takt to a group of its own: a group with processes cannot enable controllers for those
  /// below it.
  private func moveIn(_ folder: String) throws(Unavailable) {
    guard mkdirat(own, Self.daemonName, 0o755) == 0,
      let daemon = ControlGroupFolder.open(Self.daemonName, in: own)
    else { throw Self.failure(folder) }
    defer { Glibc.close(daemon) }
    guard faccessat(own, "cgroup.kill", F_OK, 0) == 0 else {
      throw Unavailable(reason: "the kernel is older than Linux 5.14")
    }
    guard ControlGroupFolder.write("0", to: "cgroup.procs", in: daemon) else {
      throw Self.failure(folder)
    }
  }

  /// The age at which empty groups of others count as leftover: a daemon that is just starting
  /// makes its groups before it moves there.
  private static let leftoverAgeSeconds = 60

  /// True for the groups of a daemon that is gone.
  private static func isLeft(_ name: String, in folder: Int32) -> Bool {
    guard let other = ControlGroupFolder.open(name, in: folder) else { return false }
    defer { Glibc.close(other) }
    guard let daemon = ControlGroupFolder.open(daemonName, in: other) else { return false }
    guard let group = ControlGroup(path: "", folder: daemon) else { return false }
    guard let status = try? FileStatus(of: daemon) else { return false }
    let now = WallInstant(milliseconds: Int64(time(nil)) * 1000)
    return !group.isPopulated && status.changed + .seconds(leftoverAgeSeconds) < now
  }

  deinit {
    Glibc.close(own)
    Glibc.close(outer)
  }

  private static func failure(_ folder: String) -> Unavailable {
    Unavailable(reason: "\(folder): \(SystemError.text())")
  }

  /// An empty group for a command; nil if none can be made. Throws if takt has too few descriptors
  /// for one.
  func pop() throws(StartFailure) -> ControlGroup? {
    let result = state.withLock { state -> Result<ControlGroup, SystemError> in
      if let group = state.popFree() { return .success(group) }
      state.sweep(own)
      if let group = state.popFree() { return .success(group) }
      return make(&state)
    }
    switch result {
    case .success(let group): return group
    case .failure(let failure):
      guard failure.isWantOfDescriptors else { return nil }
      throw StartFailure(stage: .process, number: failure.number)
    }
  }

  private func make(_ state: inout State) -> Result<ControlGroup, SystemError> {
    state.lastNumber += 1
    let name = String(state.lastNumber)
    guard mkdirat(own, name, 0o755) == 0 else { return .failure(SystemError("mkdir")) }
    guard let folder = ControlGroupFolder.open(name, in: own) else {
      let failure = SystemError("open")
      unlinkat(own, name, AT_REMOVEDIR)
      return .failure(failure)
    }
    guard let group = ControlGroup(path: "\(path)/\(name)", folder: folder, watch: watch) else {
      let failure = SystemError("open")
      unlinkat(own, name, AT_REMOVEDIR)
      return .failure(failure)
    }
    return .success(group)
  }

  /// An empty group with these limits, for one use. Returns an error number if they cannot be set.
  func pop(_ limits: GroupLimits) -> Result<ControlGroup, SystemError> {
    // A group gets its controllers from the one above, which gets them from the one above it.
    for folder in [outer, own] {
      switch ControlGroupControllers.enable(limits.controllers, in: folder) {
      case .success(let new): if folder == outer { state.withLock { $0.shared.formUnion(new) } }
      case .failure(let failure): return .failure(failure)
      }
    }
    // A new one: others were made before the controllers were enabled, or hold memory of other
    // commands.
    return state.withLock { make(&$0) }.flatMap { group in
      let number = group.limit(limits)
      guard number == 0 else {
        push(group)
        return .failure(SystemError("limits", number: number))
      }
      return .success(group)
    }
  }

  /// Takes back the group of a command that is over; one that still has processes is kept until
  /// they end.
  ///
  /// - Parameter isEmpty: true if the group was just found empty. Default false: it is checked.
  func push(_ group: ControlGroup, isEmpty: Bool = false) {
    state.withLock { $0.put(group, in: own, isEmpty: isEmpty) }
  }

  /// Moves takt back to its first group and removes empty ones; to be called at the end.
  func close() {
    let shared = state.withLock { $0.shared }
    // Needed before takt can go back: a group that enables controllers may have no processes.
    for folder in [own, outer] { ControlGroupControllers.disable(shared, in: folder) }
    _ = ControlGroupFolder.write("0", to: "cgroup.procs", in: outer)
    ControlGroupFolder.remove(name, in: outer)
  }
}
