import CTaktSystem
import Glibc
import Synchronization
import TaktCore

/// The resource use of the processes of a control group, including those that are never waited for.
///
/// A group serves one command after another, and its counters only grow: the meter keeps their
/// values at the end of the last command. Each group has at most one command at a time, and one
/// thread asks for its use.
final class ControlGroupMeter: Sendable {
  private struct Reading {
    var user: Int64 = 0
    var system: Int64 = 0
    var read: Int64 = 0
    var written: Int64 = 0
  }

  /// Borrowed from the group.
  private let folder: Int32
  /// The file of the memory peak; -1 without the controller.
  private let memory: Int32
  private let hasInputOutput: Bool
  private let state = Mutex((last: Reading(), isStale: false))
  /// The kernel reports the peak since the last reset, by this descriptor.
  private let isResettable: Bool

  init(folder: Int32) {
    self.folder = folder
    let peak = openat(folder, "memory.peak", O_RDWR | O_CLOEXEC)
    // Before Linux 6.12 it was read-only.
    isResettable = peak >= 0 && Self.reset(peak)
    memory = peak >= 0 ? peak : openat(folder, "memory.peak", O_RDONLY | O_CLOEXEC)
    hasInputOutput = faccessat(folder, "io.stat", F_OK, 0) == 0
  }

  deinit {
    if memory >= 0 { close(memory) }
  }

  /// True if it can tell the next command's use from that of earlier ones.
  var isReusable: Bool { memory < 0 || isResettable }

  private static func reset(_ descriptor: Int32) -> Bool { pwrite(descriptor, "0", 1, 0) == 1 }

  /// Called at the start of a command that is not the group's first.
  func begin() {
    if isResettable { _ = Self.reset(memory) }
    state.withLock { state in
      guard state.isStale else { return }
      state = (reading() ?? state.last, false)
    }
  }

  /// Called when the command is over but some of its processes are not: their use belongs to no
  /// other command.
  func outlast() { state.withLock { $0.isStale = true } }

  /// The use of the command; nil if the kernel does not tell. To be called once, when it is over.
  func pop() -> ResourceUse? {
    guard let now = reading() else { return nil }
    let last = state.withLock { state in
      defer { state.last = now }
      return state.last
    }
    return ResourceUse(
      userMicroseconds: max(0, now.user - last.user),
      systemMicroseconds: max(0, now.system - last.system), memoryPeakBytes: memoryPeak(),
      readBytes: max(0, now.read - last.read), writtenBytes: max(0, now.written - last.written))
  }

  private func memoryPeak() -> Int64? {
    guard memory >= 0 else { return nil }
    return withText(of: memory) { Int64(strtoll($0, nil, 10)) }
  }

  private func reading() -> Reading? {
    // Opened each time: descriptors are scarcer than the time that this takes.
    let processor = openat(folder, "cpu.stat", O_RDONLY | O_CLOEXEC)
    guard processor >= 0 else { return nil }
    defer { close(processor) }
    var reading = withText(of: processor) { text in
      Reading(
        user: Self.number(after: "user_usec ", in: text),
        system: Self.number(after: "system_usec ", in: text))
    }
    guard hasInputOutput else { return reading }
    // `8:0 rbytes=4096 wbytes=0 rios=1 …`, a line for each device.
    for line in ControlGroupFolder.read("io.stat", in: folder)?.split(separator: 10) ?? [] {
      for word in line.split(separator: UInt8(ascii: " ")) {
        if word.starts(with: "rbytes=".utf8) { reading?.read += Self.number(in: word.dropFirst(7)) }
        if word.starts(with: "wbytes=".utf8) {
          reading?.written += Self.number(in: word.dropFirst(7))
        }
      }
    }
    return reading
  }

  private static func number(in digits: ArraySlice<UInt8>) -> Int64 {
    Int64(String(decoding: digits, as: UTF8.self)) ?? 0
  }

  private static func number(after name: String, in text: UnsafePointer<CChar>) -> Int64 {
    guard let place = strstr(text, name) else { return 0 }
    return Int64(strtoll(place + name.utf8.count, nil, 10))
  }

  /// The text ends with a zero byte and is valid within `body` only.
  private func withText<Result>(
    of file: Int32, _ body: (UnsafePointer<CChar>) -> Result
  ) -> Result? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
      let count = pread(file, buffer.baseAddress, buffer.count - 1, 0)
      guard count > 0, let text = buffer.baseAddress else { return nil }
      buffer[count] = 0
      return body(text)
    }
  }
}
