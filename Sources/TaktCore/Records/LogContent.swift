/// The content of a record, either as fields or as the values that its fields are made of when they
/// are read.
package enum LogContent: Sendable {
  case fields([LogField])
  case timer(TimerRecord)
  indirect case slot(SlotRecord)
  case run(RunMoveRecord)

  /// In the order in which they are shown.
  func put(into sink: inout some FieldSink) {
    switch self {
    case .fields(let fields): for field in fields { sink.put(field) }
    case .timer(let timer): timer.put(into: &sink)
    case .slot(let slot): slot.put(into: &sink)
    case .run(let move): move.put(into: &sink)
    }
  }

  /// In the order in which they are shown.
  package var fields: [LogField] {
    if case .fields(let fields) = self { return fields }
    var list = FieldList()
    put(into: &list)
    return list.fields
  }

  /// Nil if there is no field of this key.
  package subscript(key: LogKey) -> LogValue? {
    if case .fields(let fields) = self { return fields.first { $0.key == key }?.value }
    var search = FieldSearch(key)
    put(into: &search)
    return search.value
  }

  /// About how many bytes it takes besides the record itself.
  package var heapBytes: Int {
    switch self {
    case .timer: 0
    case .slot: MemoryLayout<SlotRecord>.size
    case .run: RunMoveRecord.bytes
    case .fields(let fields):
      fields.reduce(fields.count * MemoryLayout<LogField>.stride) { sum, field in
        switch field.value {
        case .text(let text): sum + text.utf8.count
        case .bytes(let bytes): sum + bytes.count
        case .number, .milliseconds, .instant, .machine: sum
        }
      }
    }
  }
}

/// Two contents are equal when they show the same.
extension LogContent: Hashable {
  package static func == (left: Self, right: Self) -> Bool { left.fields == right.fields }

  package func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}
