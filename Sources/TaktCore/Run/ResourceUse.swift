import TaktTime

/// The resources that an attempt or a whole run has used, as counted by the kernel.
package struct ResourceUse: Hashable, Sendable {
  /// Processor time in the programs themselves.
  package var userMicroseconds: Int64
  /// Processor time that the kernel spent for them.
  package var systemMicroseconds: Int64
  /// The peak of memory; nil if the kernel does not report it.
  ///
  /// With the memory controller the peak of all processes together, page cache included, otherwise
  /// the resident memory of the largest one.
  package var memoryPeakBytes: Int64?
  /// From block devices.
  package var readBytes: Int64
  /// To block devices, including writes caused later.
  package var writtenBytes: Int64
  /// The number of times that a process gave up its processor to wait.
  package var voluntarySwitches: Int64
  /// The number of times that another process took its processor.
  package var involuntarySwitches: Int64

  package init(
    userMicroseconds: Int64 = 0, systemMicroseconds: Int64 = 0, memoryPeakBytes: Int64? = nil,
    readBytes: Int64 = 0, writtenBytes: Int64 = 0, voluntarySwitches: Int64 = 0,
    involuntarySwitches: Int64 = 0
  ) {
    self.userMicroseconds = userMicroseconds
    self.systemMicroseconds = systemMicroseconds
    self.memoryPeakBytes = memoryPeakBytes
    self.readBytes = readBytes
    self.writtenBytes = writtenBytes
    self.voluntarySwitches = voluntarySwitches
    self.involuntarySwitches = involuntarySwitches
  }

  package var cpu: Duration { .microseconds(Self.sum(userMicroseconds, systemMicroseconds)) }

  /// Adds the use at another time: the sum of everything but the memory, of which it is the larger.
  package mutating func add(_ other: Self) {
    userMicroseconds = Self.sum(userMicroseconds, other.userMicroseconds)
    systemMicroseconds = Self.sum(systemMicroseconds, other.systemMicroseconds)
    readBytes = Self.sum(readBytes, other.readBytes)
    writtenBytes = Self.sum(writtenBytes, other.writtenBytes)
    voluntarySwitches = Self.sum(voluntarySwitches, other.voluntarySwitches)
    involuntarySwitches = Self.sum(involuntarySwitches, other.involuntarySwitches)
    guard let peak = other.memoryPeakBytes else { return }
    memoryPeakBytes = max(memoryPeakBytes ?? peak, peak)
  }

  /// Saturates: a ledger may have been edited.
  private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, isOver) = left.addingReportingOverflow(right)
    return isOver ? .max : sum
  }
}

extension ResourceUse {
  /// The form in the ledger: a JSON array of seven numbers in the order of the properties, with
  /// null for unknown memory.
  package var text: String {
    // Bytes, since it is written twice for each run.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64)
    bytes.append(UInt8(ascii: "["))
    bytes.append(decimal: userMicroseconds)
    for number in [
      systemMicroseconds, memoryPeakBytes, readBytes, writtenBytes, voluntarySwitches,
      involuntarySwitches,
    ] {
      bytes.append(UInt8(ascii: ","))
      if let number { bytes.append(decimal: number) } else { bytes.append(utf8: "null") }
    }
    bytes.append(UInt8(ascii: "]"))
    return String(decoding: bytes, as: UTF8.self)
  }

  package init?(text: String) {
    guard text.hasPrefix("["), text.hasSuffix("]") else { return nil }
    let words = text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false)
    guard words.count == 7 else { return nil }
    var numbers: [Int64?] = []
    for word in words {
      let number = Int64(word)
      guard word == "null" || (number ?? -1) >= 0 else { return nil }
      numbers.append(number)
    }
    self.init(
      userMicroseconds: numbers[0] ?? 0, systemMicroseconds: numbers[1] ?? 0,
      memoryPeakBytes: numbers[2], readBytes: numbers[3] ?? 0, writtenBytes: numbers[4] ?? 0,
      voluntarySwitches: numbers[5] ?? 0, involuntarySwitches: numbers[6] ?? 0)
  }

  func put(into sink: inout some FieldSink) {
    sink.put(.cpuMilliseconds, milliseconds: cpu)
    if let memoryPeakBytes { sink.put(.memoryPeak, number: memoryPeakBytes) }
    sink.put(.readBytes, number: readBytes)
    sink.put(.writtenBytes, number: writtenBytes)
  }
}

/// The resources that a run has used so far.
package struct RunUse: Hashable, Sendable {
  /// Of its present or last attempt, all steps together.
  package var attempt: ResourceUse?
  /// Of all attempts together.
  package var run: ResourceUse

  package init(attempt: ResourceUse?, run: ResourceUse) {
    self.attempt = attempt
    self.run = run
  }

  mutating func add(_ use: ResourceUse) {
    run.add(use)
    if attempt == nil { attempt = use } else { attempt?.add(use) }
  }
}

extension SizeText {
  /// A size for people, with up to three digits: `812 B`, `45.6 MB`, `1.2 GB`.
  package static func brief(_ bytes: Int64) -> String {
    let units = ["KB", "MB", "GB", "TB"]
    guard bytes >= 1024 else { return "\(max(bytes, 0)) B" }
    var (place, tenths) = (0, scaled(bytes, by: 10))
    // Rounded before the unit is chosen, so that no MB has 1024 KB.
    while tenths >= 10_235, place < units.count - 1 {
      place += 1
      tenths = scaled(bytes, by: 10 * (place + 1))
    }
    let whole = tenths >= 1000 ? "\((tenths + 5) / 10)" : "\(tenths / 10).\(tenths % 10)"
    return "\(whole) \(units[place])"
  }

  /// Tenths of a unit that is 2 to this power, rounded.
  private static func scaled(_ bytes: Int64, by shift: Int) -> Int64 {
    let (whole, rest) = (bytes >> shift, bytes & (1 << shift - 1))
    return whole * 10 + (rest * 10 + 1 << (shift - 1)) >> shift
  }
}
