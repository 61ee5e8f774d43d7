import CSystem
import Glibc
import TaktCore

/// The group of processes that began with one child; its number is that child's pid.
///
/// The number stays taken as long as one member is not reaped, so that a signal sent to a group
/// that exists reaches no stranger.
struct ProcessGroup {
  let number: pid_t

  /// Whether a member is left, after the ended ones that takt has adopted are reaped.
  func exists() -> Bool {
    var exited = Int32(0)
    var status = Int32(0)
    while csystem_reap(-1, number, &exited, &status) > 0 {}
    return kill(-number, 0) == 0 || errno == EPERM
  }

  /// Sends every member a signal.
  func send(_ signal: Int32) {
    _ = kill(-number, signal)
    // A stopped process takes no other signal before it goes on.
    if signal != SIGKILL { _ = kill(-number, SIGCONT) }
  }

  /// The members that live, by the process table; never empty when it is asked for a group that
  /// exists, whatever the table says.
  func members() -> [Descendant] {
    var members: [Descendant] = []
    if let folder = opendir("/proc") {
      defer { closedir(folder) }
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if let pid = pid_t(name), let member = livingMember(pid) { members.append(member) }
      }
    }
    return members.isEmpty ? [Descendant(pid: number, name: "?")] : members
  }

  /// Reads `comm`, `state` and `pgrp` of `/proc/PID/stat`; the name may hold any character.
  private func livingMember(_ pid: pid_t) -> Descendant? {
    let descriptor = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let length = read(descriptor, &bytes, bytes.count)
    guard length > 0, let start = bytes[..<length].firstIndex(of: UInt8(ascii: "(")),
      let end = bytes[..<length].lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = String(decoding: bytes[(end + 1)..<length], as: UTF8.self).split(separator: " ")
    guard fields.count > 2, fields[0] != "Z", fields[2] == "\(number)" else { return nil }
    return Descendant(pid: pid, name: String(decoding: bytes[(start + 1)..<end], as: UTF8.self))
  }
}
