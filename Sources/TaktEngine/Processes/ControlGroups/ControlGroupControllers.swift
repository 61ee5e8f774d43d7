import Glibc
package import TaktCore
import TaktSystem

/// The control group controllers that takt has to enable for the groups of commands.
package enum ControlGroupControllers {
  /// The process that a problem is looked for.
  package enum Place: Sendable {
    /// Any daemon on this machine: its group is not known.
    case machine
    /// This process, which will be the daemon or is it.
    case daemon
  }

  /// The reason why takt cannot use these controllers, as far as it can be seen without changing
  /// anything; nil if it probably can.
  package static func problem(with wanted: Set<GroupController>, in place: Place) -> String? {
    if getenv(ControlGroups.variable).map({ String(cString: $0) }) == "off" {
      return "\(ControlGroups.variable)=off"
    }
    guard let present = ControlGroup.group(of: getpid()) else {
      return "the kernel has no cgroup v2"
    }
    let own = ControlGroups.outerGroup(of: present)
    guard let folder = ControlGroupMount.folder(of: own), let top = ControlGroupMount.top else {
      return "no mounted cgroup v2 hierarchy contains takt's control group"
    }
    if let problem = missing(wanted, in: top) {
      return problem + "; where cgroup v1 has it, boot with 'cgroup_no_v1=all'"
    }
    return place == .machine ? nil : daemonProblem(with: wanted, in: folder)
  }

  private static func missing(_ wanted: Set<GroupController>, in folder: String) -> String? {
    let present = parse(SmallFile.head(folder + "/cgroup.controllers", bytesMax: 4096) ?? [])
    let missing = wanted.subtracting(present).map(\.rawValue).sorted()
    guard !missing.isEmpty else { return nil }
    return "the control group \(folder) lacks the controller\(missing.count == 1 ? "" : "s") "
      + missing.joined(separator: ", ")
  }

  private static func daemonProblem(
    with wanted: Set<GroupController>, in folder: String
  ) -> String? {
    if let problem = missing(wanted, in: folder) { return problem }
    guard access(folder, W_OK) == 0, access(folder + "/cgroup.subtree_control", W_OK) == 0 else {
      return "\(folder): \(SystemError.text())"
    }
    // Only the kernel's own root may both have processes and enable controllers.
    guard access(folder + "/cgroup.events", F_OK) == 0,
      let shared = SmallFile.head(folder + "/cgroup.subtree_control", bytesMax: 4096),
      !wanted.isSubset(of: parse(shared)),
      let pids = SmallFile.head(folder + "/cgroup.procs", bytesMax: 65_536)
    else { return nil }
    let others = ProcessFile.numbers(pids).filter { $0 != getpid() }
    guard let other = others.first else { return nil }
    let name = ProcessStatus.read(other).map { " \($0.name)(\(other))" } ?? ""
    return "other processes are in takt's control group \(folder):\(name)"
  }

  static func parse(_ bytes: [UInt8]) -> Set<GroupController> {
    let words = bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
    return Set(words.compactMap { GroupController(rawValue: String(decoding: $0, as: UTF8.self)) })
  }

  /// Enables controllers for the groups in a folder. Returns those that were not enabled already.
  static func enable(
    _ wanted: Set<GroupController>, in folder: Int32
  ) -> Result<Set<GroupController>, SystemError> {
    let present = parse(ControlGroupFolder.read(file, in: folder) ?? [])
    let new = wanted.subtracting(present)
    for controller in new.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard ControlGroupFolder.write("+\(controller.rawValue)", to: file, in: folder) else {
        return .failure(SystemError(file))
      }
    }
    return .success(new)
  }

  /// Disables controllers for the groups in a folder; those that one of them has enabled in turn
  /// stay.
  static func disable(_ controllers: Set<GroupController>, in folder: Int32) {
    for controller in controllers {
      _ = ControlGroupFolder.write("-\(controller.rawValue)", to: file, in: folder)
    }
  }

  private static let file = "cgroup.subtree_control"
}

extension ControlGroup {
  /// Sets the limits of the whole group, which then serves one command only. Returns 0 or an error
  /// number.
  func limit(_ limits: GroupLimits) -> Int32 {
    reserve()
    var texts: [(name: String, text: String)] = []
    if let bytes = limits.memoryMaxBytes {
      // All of an attempt is killed, not one of its processes.
      texts += [("memory.oom.group", "1"), ("memory.max", String(bytes))]
      // A kernel may have no swap.
      _ = ControlGroupFolder.write("0", to: "memory.swap.max", in: folder)
    }
    if let percent = limits.cpuQuotaPercent {
      // Microseconds of each tenth of a second.
      texts.append(("cpu.max", "\(percent * 1000) 100000"))
    }
    if let tasks = limits.tasksMax { texts.append(("pids.max", String(tasks))) }
    if let weight = limits.ioWeight { texts.append(("io.weight", "default \(weight)")) }
    for (name, text) in texts
    where !ControlGroupFolder.write(text, to: name, in: folder) { return errno }
    return 0
  }

  var ranOutOfMemory: Bool {
    guard let bytes = ControlGroupFolder.read("memory.events", in: folder) else { return false }
    return bytes.split(separator: UInt8(ascii: "\n")).contains { line in
      line.starts(with: "oom_kill ".utf8) && !line.elementsEqual("oom_kill 0".utf8)
    }
  }
}
