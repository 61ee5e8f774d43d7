import Glibc
import TaktSystem

enum ControlGroupMount {
  /// The folder of the uppermost group that this process can see; nil if no mount shows one.
  static var top: String? {
    let all = mounts()
    return (all.first { $0.root == "/" } ?? all.first)?.place
  }

  static func folder(of group: String) -> String? {
    for (root, place) in mounts() {
      if root == "/" { return group == "/" ? place : place + group }
      if group == root { return place }
      if group.hasPrefix(root + "/") { return place + group.dropFirst(root.count) }
    }
    return nil
  }

  /// Each mount with the group that it shows at its top.
  private static func mounts() -> [(root: String, place: String)] {
    guard let bytes = SmallFile.head("/proc/self/mountinfo", bytesMax: 4 * 1_048_576) else {
      return []
    }
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: " "))
      guard let dash = fields.firstIndex(of: [UInt8(ascii: "-")]), fields.count > dash + 1,
        dash > 4, fields[dash + 1].elementsEqual("cgroup2".utf8)
      else { return nil }
      return (text(fields[3]), text(fields[4]))
    }
  }

  private static func text(_ field: ArraySlice<UInt8>) -> String {
    String(decoding: MountTable.unescaped(field), as: UTF8.self)
  }
}
