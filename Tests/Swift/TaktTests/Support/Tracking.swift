import Foundation
import Glibc
import Testing

/// The means by which takt recognises the processes of a run.
enum Tracking: String, CaseIterable, CustomTestStringConvertible, Sendable {
  case groups = "control groups"
  case sessions = "sessions and marks"

  var testDescription: String { rawValue }

  /// The variable of takt's environment that selects it.
  var variable: String { "TAKT_CGROUP=\(self == .groups ? "auto" : "off")" }

  /// The means of this machine: control groups need a hierarchy in which takt may make some.
  static let available: [Tracking] = {
    let mounts = (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)) ?? ""
    let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
    guard let own = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::") }),
      let mount = mounts.split(separator: "\n").first(where: { $0.contains(" - cgroup2 ") })
    else {
      print("control groups are not tested: there is no cgroup v2 hierarchy")
      return [.sessions]
    }
    let folder = String(mount.split(separator: " ")[4]) + own.dropFirst(3)
    guard access(folder, W_OK) == 0 else {
      print("control groups are not tested: \(folder) cannot be written")
      return [.sessions]
    }
    return allCases
  }()
}

extension TaktProcess {
  /// Starts `takt run` with these means.
  static func tracking(_ tracking: Tracking, in folder: TemporaryFolder) throws -> TaktProcess {
    try TaktProcess(
      [tracking.variable, executable.path, "run"], program: "/usr/bin/env", in: folder)
  }
}
