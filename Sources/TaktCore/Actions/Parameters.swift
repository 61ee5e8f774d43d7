/// Checked parameters of a named action, by name; defaults are filled in.
package typealias Parameters = [String: ParameterValue]

package enum ParameterValue: Hashable, Sendable {
  /// Text, one of a fixed set of words, or an absolute path.
  case string(String)
  /// A whole number, or a size in bytes.
  case integer(Int)
  /// A number, or a share in percent.
  case number(Double)
  case boolean(Bool)
  case duration(Duration)
  case list([ParameterValue])
  case map([String: ParameterValue])

  package var string: String { if case .string(let text) = self { text } else { "" } }
  package var integer: Int? { if case .integer(let value) = self { value } else { nil } }
  package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  package var duration: Duration? { if case .duration(let value) = self { value } else { nil } }
  /// Empty for any other case.
  package var list: [ParameterValue] { if case .list(let items) = self { items } else { [] } }
  /// Empty for any other case.
  package var map: [String: ParameterValue] { if case .map(let map) = self { map } else { [:] } }
}
