/// The limits of all processes of an attempt together, by their control group; nil for no limit.
package struct GroupLimits: Hashable, Sendable {
  /// The smallest `memoryMaxBytes`.
  ///
  /// A child shares takt's memory until it executes its program. If it lacked memory until then,
  /// the kernel would end takt with it: a program's arguments and environment, at most 6 MiB, have
  /// to fit.
  package static let memoryBytesMin = 8 << 20

  /// Memory in bytes, page cache included. Beyond it the kernel ends the attempt's processes.
  package var memoryMaxBytes: Int?
  /// Processor time in percent of one processor.
  package var cpuQuotaPercent: Int?
  /// Processes and threads.
  package var tasksMax: Int?
  /// The share of the disk among groups, 1 to 10000; the kernel's default is 100.
  package var ioWeight: Int?
  /// True if the job runs without them when they are not available. Default false.
  package var isOptional = false

  /// True if there is none.
  package var isEmpty: Bool {
    memoryMaxBytes == nil && cpuQuotaPercent == nil && tasksMax == nil && ioWeight == nil
  }

  /// The controllers that they need.
  package var controllers: Set<GroupController> {
    var result: Set<GroupController> = []
    if memoryMaxBytes != nil { result.insert(.memory) }
    if cpuQuotaPercent != nil { result.insert(.cpu) }
    if tasksMax != nil { result.insert(.pids) }
    if ioWeight != nil { result.insert(.io) }
    return result
  }
}

/// A controller of control groups, by the kernel's name.
package enum GroupController: String, CaseIterable, Hashable, Sendable {
  case memory, cpu, pids, io
}

extension GroupLimits {
  /// Reads `50%` or `250%`; nil for anything else.
  package static func percent(_ text: String) -> Int? {
    let digits = text.dropLast()
    guard text.hasSuffix("%"), digits.utf8.allSatisfy({ $0 > 0x2f && $0 < 0x3a }),
      let number = Int(digits), (1...100_000).contains(number)
    else { return nil }
    return number
  }

  var words: [String?] {
    [
      memoryMaxBytes.map { "memory_max \(SizeText.format($0))" },
      cpuQuotaPercent.map { "cpu_quota \($0)%" }, tasksMax.map { "tasks_max \($0)" },
      ioWeight.map { "io_weight \($0)" }, isOptional ? "enforce if_possible" : nil,
    ]
  }
}
