import Glibc
import TaktCore

/// The environment of a child, by precedence: takt's own facts, secrets, what the job says, what
/// belongs to the user that it runs as, what it inherits.
struct AttemptEnvironment {
  /// Where programs are looked for when nobody says.
  static let standardPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
  /// So much of its run's output a hook gets to see.
  static let hookOutputBytesMax = 4096

  /// `NAME=value` each.
  private(set) var block = CStringBlock()
  /// The value of `PATH`; nil when there is none.
  private(set) var path: String?
  /// What is in the block already, but for takt's own facts.
  private var names: Set<String> = []

  init(
    of request: AttemptRequest, account: Account?, secrets: [(name: String, value: [UInt8])]
  ) {
    addFacts(of: request)
    for secret in secrets { add(secret.name, secret.value) }
    let execution = request.spec.execution
    for (name, value) in execution.environment { add(name, value) }
    if let account {
      add("HOME", account.home)
      add("LOGNAME", account.name)
      add("USER", account.name)
      add("SHELL", account.shell)
    }
    switch execution.inheritance {
    case .all where names.isEmpty:
      // As for most jobs: there is nothing to compare, name by name.
      block.append(Self.inheritedBlock)
      path = Self.inheritedPath
    case .all: for variable in Self.inherited { add(variable) }
    case .only(let wanted):
      let wanted = Set(wanted)
      for variable in Self.inherited where wanted.contains(variable.name) { add(variable) }
      add("PATH", Self.standardPath)
    case .none: add("PATH", Self.standardPath)
    }
  }

  /// First of all the mark by which orphans are known: it is found soonest.
  private mutating func addFacts(of request: AttemptRequest) {
    addFact(AttemptMark.attemptVariable, AttemptMark.value(request.run))
    addFact(AttemptMark.instanceVariable, AttemptMark.instance)
    addFact("TAKT_JOB", request.spec.name.text)
    addFact("TAKT_SLOT", request.slot.rfc3339())
    guard let facts = request.facts else {
      addFact("TAKT_RUN", request.run.description)
      addFact("TAKT_ATTEMPT", String(request.attempt))
      return
    }
    addFact("TAKT_HOOK", facts.hook.rawValue)
    addFact("TAKT_RUN", facts.run.description)
    addFact("TAKT_ATTEMPT", String(facts.attempts))
    addFact("TAKT_OUTCOME", facts.end?.outcome.rawValue ?? "")
    addFact("TAKT_REASON", facts.end.map { "\($0.reason)" } ?? "")
    addFact("TAKT_DURATION_MS", String(facts.duration.wholeMilliseconds))
    addFact("TAKT_LATE_MS", String(facts.lateness.wholeMilliseconds))
    addFact("TAKT_STREAK", String(facts.failureStreak))
    addFact("TAKT_OUTPUT", Self.text(of: facts.output))
  }

  /// The end of an output as text that an environment can hold.
  static func text(of output: KeptOutput) -> String {
    var bytes = output.tail
    if output.droppedBytes == 0 { bytes = output.head + bytes }
    var end = bytes.suffix(hookOutputBytesMax)
    if end.count < bytes.count || output.droppedBytes > 0 {
      // What is left of a character that was cut.
      end = end.drop { $0 & 0xC0 == 0x80 }
    }
    var text = String(decoding: end.lazy.filter { $0 != 0 }, as: UTF8.self)[...]
    // A byte that is no text has become a character of three.
    while text.utf8.count > hookOutputBytesMax {
      text = text.dropFirst((text.utf8.count - hookOutputBytesMax + 3) / 4)
    }
    return String(text)
  }

  private mutating func addFact(_ name: String, _ value: String) { block.append(name, value.utf8) }

  private mutating func add(_ name: String, _ value: String) { add(name, value.utf8) }

  private mutating func add(_ name: String, _ value: some Collection<UInt8>) {
    guard !Self.ownNames.contains(name), names.insert(name).inserted else { return }
    block.append(name, value)
    if name == "PATH" { path = String(decoding: value, as: UTF8.self) }
  }

  private mutating func add(_ variable: Variable) {
    guard names.insert(variable.name).inserted else { return }
    block.append(variable.entry)
    if variable.name == "PATH" { path = String(decoding: variable.value, as: UTF8.self) }
  }

  /// A variable of takt's own, byte by byte as it is.
  private struct Variable: Sendable {
    let name: String
    let entry: [UInt8]
    var value: ArraySlice<UInt8> { entry[(name.utf8.count + 1)...] }
  }

  /// The value of one of takt's own variables; nil where it has none of the name.
  static func own(_ name: String) -> [UInt8]? {
    inherited.first { $0.name == name }.map { Array($0.value) }
  }

  /// takt's own environment, read once: nothing in this process changes it. What a takt round this
  /// one has said of its own run is no part of it.
  private static let inherited: [Variable] = {
    var result: [Variable] = []
    var entry = environ
    while let text = entry.pointee {
      entry += 1
      let bytes = UnsafeRawBufferPointer(start: text, count: strlen(text))
      guard let end = bytes.firstIndex(of: UInt8(ascii: "=")),
        let name = String(validating: bytes[..<end], as: UTF8.self), !ownNames.contains(name)
      else { continue }
      result.append(Variable(name: name, entry: Array(bytes)))
    }
    return result
  }()

  private static let inheritedBlock: CStringBlock = {
    var block = CStringBlock()
    for variable in inherited { block.append(variable.entry) }
    return block
  }()

  private static let inheritedPath = own("PATH").map { String(decoding: $0, as: UTF8.self) }

  /// What takt says of a run; nobody else can say it.
  private static let ownNames: Set<String> = [
    AttemptMark.attemptVariable, AttemptMark.instanceVariable, "TAKT_JOB", "TAKT_SLOT", "TAKT_RUN",
    "TAKT_ATTEMPT", "TAKT_HOOK", "TAKT_OUTCOME", "TAKT_REASON", "TAKT_DURATION_MS", "TAKT_LATE_MS",
    "TAKT_STREAK", "TAKT_OUTPUT",
  ]
}

extension Duration {
  fileprivate var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? .max : product + attoseconds / 1_000_000_000_000_000
  }
}
