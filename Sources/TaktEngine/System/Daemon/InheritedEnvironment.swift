import Glibc
import Synchronization
package import TaktCore
import TaktSystem

/// The variables that inform a process about takt and its run; they cannot be set otherwise.
enum TaktVariable: String, CaseIterable {
  /// The mark of an attempt, unique among all ever made.
  case attemptMark = "TAKT_ATTEMPT_ID"
  /// Identifies this process of takt.
  case instance = "TAKT_INSTANCE"
  case job = "TAKT_JOB"
  case slot = "TAKT_SLOT"
  case run = "TAKT_RUN"
  case attempt = "TAKT_ATTEMPT"
  /// The number of the run's claim; only if it has one.
  case fence = "TAKT_FENCE"
  /// The changes at the watched paths, a line each; the number of lines; and a flag for more.
  case changed = "TAKT_CHANGED"
  case changedCount = "TAKT_CHANGED_COUNT"
  case changedCut = "TAKT_CHANGED_CUT"
  case host = "TAKT_HOST"
  case runURL = "TAKT_RUN_URL"
  case hook = "TAKT_HOOK"
  case outcome = "TAKT_OUTCOME"
  case reason = "TAKT_REASON"
  case durationMilliseconds = "TAKT_DURATION_MS"
  case latenessMilliseconds = "TAKT_LATE_MS"
  case streak = "TAKT_STREAK"
  case cpuMilliseconds = "TAKT_CPU_MS"
  case memoryPeak = "TAKT_MEMORY_PEAK"
  case attempts = "TAKT_ATTEMPTS"
  case output = "TAKT_OUTPUT"

  static let names = Set(allCases.map(\.rawValue))
}

/// takt's own environment as children inherit it: without variables of a surrounding takt about its
/// own run, and without the variables that hold secrets of jobs.
///
/// Safe from any thread.
package enum InheritedEnvironment {
  /// A variable with its exact bytes.
  struct Variable: Sendable {
    let name: String
    let entry: [UInt8]
    var value: ArraySlice<UInt8> { entry[(name.utf8.count + 1)...] }
  }

  /// The environment of a child that inherits all of it.
  struct Shown: Sendable {
    let variables: [Variable]
    let block: CStringBlock
    let path: String?
    private let leftByShells: [StandardShell: ShellEnvironment]

    init(_ variables: [Variable]) {
      self.variables = variables
      let shells = StandardShell.allCases
      leftByShells = Dictionary(
        uniqueKeysWithValues: shells.map { ($0, ShellEnvironment(of: variables, leftBy: $0)) })
      var block = CStringBlock()
      for variable in variables { block.append(variable.entry) }
      self.block = block
      path = variables.first { $0.name == "PATH" }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    /// The part that a shell passes on to a command.
    func asLeft(by shell: StandardShell) -> ShellEnvironment {
      leftByShells[shell] ?? ShellEnvironment(of: variables, leftBy: shell)
    }
  }

  /// All of it, read once: it never changes in this process.
  static let variables: [Variable] = {
    var result: [Variable] = []
    var entry = environ
    while let text = entry.pointee {
      entry += 1
      let bytes = UnsafeRawBufferPointer(start: text, count: strlen(text))
      guard let end = bytes.firstIndex(of: UInt8(ascii: "=")),
        let name = String(validating: bytes[..<end], as: UTF8.self),
        !TaktVariable.names.contains(name)
      else { continue }
      result.append(Variable(name: name, entry: Array(bytes)))
    }
    return result
  }()

  private static let state = Mutex((hidden: Set<String>(), shown: Shown(variables)))

  /// The environment for a child without variables of its own.
  static var shown: Shown { state.withLock(\.shown) }

  static func value(of name: String) -> [UInt8]? {
    variables.first { $0.name == name }.map { Array($0.value) }
  }

  /// Hides the variables that hold secrets of these jobs from all children from now on: a secret of
  /// one job is no business of another.
  ///
  /// - Parameter cluster: its password is hidden as well.
  package static func hideSecrets(of specs: [JobSpec], cluster: ClusterSettings? = nil) {
    var secrets = specs.executions.flatMap(\.secrets.values)
    if case .etcd(let etcd)? = cluster?.engine, let password = etcd.password {
      secrets.append(password)
    }
    let names = secrets.compactMap { secret in
      if case .environment(let name) = secret.source { name } else { nil }
    }
    state.withLock { state in
      let hidden = state.hidden.union(names)
      guard hidden.count > state.hidden.count else { return }
      state = (hidden, Shown(variables.filter { !hidden.contains($0.name) }))
    }
  }
}

extension ShellEnvironment {
  fileprivate init(of variables: [InheritedEnvironment.Variable], leftBy shell: StandardShell) {
    self.init(of: shell)
    for (place, variable) in variables.enumerated() {
      add(variable.name, variable.value, at: place)
    }
    // The shell passes on only one of two.
    if Set(variables.map(\.name)).count < variables.count { setUnknown() }
  }
}
