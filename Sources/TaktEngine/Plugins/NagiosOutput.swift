import TaktCore

/// The first line of a check's output, in the format of monitoring plugins: a sentence, and after a
/// bar performance data, `'label'=value[UOM];warn;crit;min;max`.
package struct NagiosOutput: Hashable, Sendable {
  struct Metric: Hashable, Sendable {
    var name: String
    var value: Double
    var unit: String?
  }

  var message: String
  var metrics: [Metric]

  package init(_ output: [UInt8]) {
    let line = output.prefix { $0 != 10 }
    let text = String(decoding: line, as: UTF8.self)
    let bar = text.firstIndex(of: "|")
    message = String(bar.map { text[..<$0] } ?? text[...]).trimmed
    metrics = bar.map { Self.metrics(in: text[text.index(after: $0)...]) } ?? []
  }

  static func result(_ status: Int32) -> AttemptResult {
    switch status {
    case 0: .exited(0)
    case 1: .failed("plugin(warning)")
    case 2: .failed("plugin(critical)")
    default: .failed("plugin(unknown)")
    }
  }

  private static func metrics(in text: Substring) -> [Metric] {
    var result: [Metric] = []
    var rest = text.drop { $0 == " " }
    while !rest.isEmpty {
      guard let label = label(&rest), rest.first == "=" else { break }
      let entry = rest.dropFirst().prefix { $0 != " " }
      rest = rest.dropFirst(entry.count + 1).drop { $0 == " " }
      let measured = entry.prefix { $0 != ";" }
      let digits = measured.prefix { $0.isNumber || ".-+eE".contains($0) }
      let unit = measured.dropFirst(digits.count)
      // A comma is the decimal point of some locales: half a number does not count.
      guard let value = Double(digits), value.isFinite, unit.first != "," else { continue }
      result.append(Metric(name: label, value: value, unit: unit.isEmpty ? nil : String(unit)))
    }
    return result
  }

  /// A label, in single quotes if it has blanks; a doubled quote in them means one.
  private static func label(_ rest: inout Substring) -> String? {
    guard rest.first == "'" else {
      let label = rest.prefix { $0 != "=" }
      rest = rest.dropFirst(label.count)
      return label.isEmpty ? nil : String(label)
    }
    rest = rest.dropFirst()
    var label = ""
    while let character = rest.popFirst() {
      if character != "'" {
        label.append(character)
      } else if rest.first == "'" {
        label.append("'")
        rest = rest.dropFirst()
      } else {
        return label
      }
    }
    return nil
  }
}

extension String {
  fileprivate var trimmed: String {
    let kept = drop { $0.isWhitespace }
    let count = kept.reversed().prefix { $0.isWhitespace }.count
    return String(kept.dropLast(count))
  }
}
