import TaktCore

/// A job from labels: values by their path of keys in a job, with the label of each.
struct LabelJob {
  enum Value {
    case text(String)
    /// A number or a word, without quotes.
    case word(String)
    case list([String])
  }

  private struct Leaf {
    var value: Value
    var label: String
  }

  let name: String
  private var leaves: [[String]: Leaf] = [:]
  /// The process in the container: parameters of the built-in, none of which is a job's key.
  private var parameters: [[String]: Leaf] = [:]

  init(name: String) { self.name = name }

  /// Returns false for the second label for one path; the first counts.
  mutating func set(_ path: [String], _ value: Value, by label: String) -> Bool {
    guard leaves[path] == nil else { return false }
    leaves[path] = Leaf(value: value, label: label)
    return true
  }

  mutating func setParameter(_ path: [String], _ value: Value, by label: String) -> Bool {
    guard parameters[path] == nil else { return false }
    parameters[path] = Leaf(value: value, label: label)
    return true
  }

  /// The label that says what stands there; nil where none does.
  func label(of path: [String]) -> String? { leaves[path]?.label }

  func has(_ key: String) -> Bool { leaves[[key]] != nil }

  var hasCommand: Bool { parameters[[Self.command]] != nil }

  static let action = "container"
  static let target = "exec"
  static let command = "command"
  static let socket = "socket"
  static let environment = "env"
  static let rate = ["output", "rate"]

  /// A jobs file with only this job, and the label of each of its lines, from 1.
  ///
  /// It is JSON, with every text quoted and escaped: no value is read as anything but a value.
  func file(in container: LabelledContainer, socket: String?, named job: JobName)
    -> (text: [UInt8], labels: [String?])
  {
    var writer = LabelFileWriter()
    writer.open(["jobs", job.text])
    var values = leaves.map { path, leaf in
      (path: path, value: leaf.value.withoutEach, label: Optional(leaf.label))
    }
    if leaves[Self.rate] == nil { values.append((Self.rate, .text(LabelBounds.rate), nil)) }
    writer.write(values)
    writer.write([
      (["use"], .text(Self.action), nil), (["concurrency"], .text(ContainerAccess.group), nil),
    ])
    writer.open(["with"])
    writer.write([([Self.target], .text(container.id), nil)])
    if let socket { writer.write([([Self.socket], .text(socket), nil)]) }
    writer.write(parameters.map { ($0.key, $0.value.value.withoutPlaceholders, $0.value.label) })
    writer.close()
    return (writer.text, writer.labels)
  }
}

extension LabelJob.Value {
  /// In the parameters of an action, braces would be facts of the run or secrets.
  fileprivate var withoutPlaceholders: Self {
    mapped { $0.replacing("{{", with: "{{{{") }
  }

  /// Elsewhere in a job, braces before `each` would be a value of `for_each`.
  fileprivate var withoutEach: Self { mapped(EachBraces.escaped) }

  private func mapped(_ plain: (String) -> String) -> Self {
    switch self {
    case .text(let text): .text(plain(text))
    case .list(let items): .list(items.map(plain))
    case .word: self
    }
  }
}

/// Writes mappings in JSON, one value per line.
private struct LabelFileWriter {
  private(set) var text: [UInt8] = []
  private(set) var labels: [String?] = []
  private var closings = 0

  mutating func open(_ keys: [String]) {
    if text.isEmpty { line("{", of: nil) }
    for key in keys {
      line("\(quoted(key)): {", of: nil)
      closings += 1
    }
  }

  mutating func close() {
    line(String(repeating: "}", count: closings + 1), of: nil)
    closings = 0
  }

  /// - Parameter values: with paths of at most two keys; those under one key are written together.
  mutating func write(_ values: [(path: [String], value: LabelJob.Value, label: String?)]) {
    let sorted = values.sorted { $0.path.lexicographicallyPrecedes($1.path) }
    var group: String?
    for (path, value, label) in sorted {
      let owner = path.count > 1 ? path[0] : nil
      if owner != group {
        if group != nil { line("},", of: nil) }
        if let owner { line("\(quoted(owner)): {", of: nil) }
        group = owner
      }
      line("\(quoted(path.last ?? "")): \(written(value)),", of: label)
    }
    if group != nil { line("},", of: nil) }
  }

  private func written(_ value: LabelJob.Value) -> String {
    switch value {
    case .text(let text): quoted(text)
    case .word(let word): word
    case .list(let items):
      "[" + items.map(quoted).joined(separator: ", ") + "]"
    }
  }

  private func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    JSONText.append(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func line(_ line: String, of label: String?) {
    text += Array(line.utf8) + [UInt8(ascii: "\n")]
    labels.append(label)
  }
}
