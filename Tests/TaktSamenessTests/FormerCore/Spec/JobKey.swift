/// A key of a job in the jobs file, with what plans, logs and the API say of it. Each stands beside
/// the field that holds its value.
package struct JobKey: Equatable, Sendable, CustomStringConvertible {
  /// A key that two specs of a job do not agree in.
  package struct Difference: Hashable, Sendable {
    package var key: String
    /// What was; nil for what is never shown, and for a key that is not there.
    package var from: String?
    package var to: String?
  }

  package let name: String
  /// What a spec says under it; nil where that is never shown.
  private let text: (@Sendable (JobSpec) -> String?)?
  private let differs: @Sendable (JobSpec, JobSpec) -> Bool

  /// A key whose value is shown to everybody.
  init(_ name: String, _ text: @escaping @Sendable (JobSpec) -> String?) {
    self.name = name
    self.text = text
    differs = { text($0) != text($1) }
  }

  /// A key whose value is never shown: commands, environment, secrets, standard input, parameters.
  init(_ name: String, hidden differs: @escaping @Sendable (JobSpec, JobSpec) -> Bool) {
    self.name = name
    self.differs = differs
    text = nil
  }

  /// A key whose value is part of what another shows, such as that of `days` under `cron`.
  init(partOfAnother name: String) {
    self.name = name
    text = nil
    differs = { _, _ in false }
  }

  package var description: String { name }

  package static func == (left: Self, right: Self) -> Bool { left.name == right.name }

  /// In the order in which they are shown.
  private static let all =
    Timing.keys + [.overlap, .concurrency] + Action.keys + Execution.keys + JobPolicies.keys
    + [.description]

  /// What a job says of itself where that may be shown.
  package static func facts(of spec: JobSpec) -> [(key: String, text: String)] {
    all.compactMap { key in key.text?(spec).map { (key.name, $0) } }
  }

  /// What two specs of a job say differently: first what may be shown, then what may not.
  static func differences(from old: JobSpec, to new: JobSpec) -> [Difference] {
    let keys = all.filter { $0.differs(old, new) }
    return (keys.filter { $0.text != nil } + keys.filter { $0.text == nil }).map {
      Difference(key: $0.name, from: $0.text?(old), to: $0.text?(new))
    }
  }

  /// Several words of one value; nil for none.
  static func list(_ texts: [String?]) -> String? {
    let texts = texts.compactMap(\.self)
    return texts.isEmpty ? nil : texts.joined(separator: ", ")
  }
}
