import CTaktSystem
import Glibc
import Synchronization
import TaktCore

/// The descriptors that a child gets, and takt's ends of its pipes.
struct ChildFiles {
  /// The descriptors that become the child's 0, 1, 2 …
  private(set) var list: [Int32] = []
  private let extra: [Int32]
  /// The terminal of both outputs, and its owner; nil for pipes.
  private let terminal: (size: TerminalSize, owner: uid_t?)?
  /// The descriptors that are closed here in any case.
  private var own: [Int32] = []
  private var stdout: Int32 = -1
  private var stderr: Int32 = -1
  private var input: Int32 = -1
  private var control: Int32 = -1

  /// - Parameters:
  ///   - extra: the child's descriptors 3, 4 …; they stay the caller's.
  ///   - terminal: the size of the terminal that the child prints to; nil for pipes.
  ///   - owner: the user that the child becomes; nil for takt's own.
  init(extra: [Int32], terminal: TerminalSize? = nil, owner: uid_t? = nil) {
    self.extra = extra
    self.terminal = terminal.map { ($0, owner) }
  }

  /// Opens the child's 0, 1 and 2. A text for its input is in memory as a whole, so that takt need
  /// not wait for the child to read it.
  mutating func open(stdin: String?, isMerged: Bool) throws(StartFailure) {
    if var stdin {
      let input = stdin.withUTF8 { csystem_memory_file("takt-stdin", $0.baseAddress, $0.count) }
      try add(input)
    } else {
      list.append(try Self.nothing())
    }
    try addOutputs(isMerged: isMerged)
    list += extra
  }

  /// Opens the descriptors of a child with a channel: a pipe at 0 as well, and one at 3.
  mutating func openChannel(isMerged: Bool) throws(StartFailure) {
    var ends: [Int32] = [-1, -1]
    guard csystem_pipe(&ends, 1) == 0 else {
      throw StartFailure(stage: .process, number: errno)
    }
    own.append(ends[1])
    try add(ends[0])
    input = ends[1]
    try addOutputs(isMerged: isMerged)
    control = try addPipe()
    list += extra
  }

  /// Adds the secrets that are delivered as files after all other descriptors.
  mutating func add(
    _ secrets: [ReadSecret]
  ) throws(StartFailure) -> (variables: [(name: String, value: [UInt8])], values: [[UInt8]]) {
    var variables: [(name: String, value: [UInt8])] = []
    var values: [[UInt8]] = []
    for secret in secrets {
      let (name, value) = (secret.name, secret.value)
      if !value.isEmpty { values.append(value) }
      switch secret.delivery {
      case .environment:
        guard !value.contains(0) else { throw SecretReader.failure(EINVAL) }
        variables.append((name, value))
      case .file:
        guard list.count < Int(CSYSTEM_DESCRIPTORS_MAX) else { throw SecretReader.failure(E2BIG) }
        let file = try SecretReader.file(value)
        variables.append((name, Array("/proc/self/fd/\(list.count)".utf8)))
        own.append(file)
        list.append(file)
      }
    }
    return (variables, values)
  }

  private mutating func addOutputs(isMerged: Bool) throws(StartFailure) {
    if let terminal { return try addTerminal(terminal.size, of: terminal.owner) }
    stdout = try addPipe()
    if isMerged, let pipe = list.last { list.append(pipe) } else { stderr = try addPipe() }
  }

  /// takt's ends of the pipes, which are no longer closed here; without `stderr` if both streams
  /// are one.
  mutating func detachOwnEnds() -> (
    stdout: Int32, stderr: Int32?, channel: (input: Int32, control: Int32)?
  ) {
    let taken = [stdout, stderr, input, control]
    own.removeAll { taken.contains($0) }
    return (stdout, stderr < 0 ? nil : stderr, control < 0 ? nil : (input, control))
  }

  mutating func closeOwn() {
    for descriptor in own { close(descriptor) }
    own = []
  }

  /// `/dev/null`, opened once for all children.
  private static func nothing() throws(StartFailure) -> Int32 {
    try descriptorOfNothing.withLock { (descriptor) throws(StartFailure) in
      if descriptor < 0 { descriptor = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }
      guard descriptor >= 0 else { throw StartFailure(stage: .process, number: errno) }
      return descriptor
    }
  }

  private static let descriptorOfNothing = Mutex<Int32>(-1)

  private mutating func add(_ descriptor: Int32) throws(StartFailure) {
    guard descriptor >= 0 else { throw StartFailure(stage: .process, number: errno) }
    own.append(descriptor)
    list.append(descriptor)
  }

  /// Adds a terminal at 1 and 2. It is not the child's controlling terminal: that one ends with the
  /// first process, after which descendants could no longer print, and it lets programs ask for
  /// passwords that no user types.
  private mutating func addTerminal(
    _ size: TerminalSize, of owner: uid_t?
  ) throws(StartFailure) {
    var ends: [Int32] = [-1, -1]
    let (rows, columns) = (Int32(clamping: size.rows), Int32(clamping: size.columns))
    guard csystem_terminal(&ends, rows, columns, owner.map { Int($0) } ?? -1) == 0 else {
      throw StartFailure(stage: .process, number: errno)
    }
    own.append(ends[0])
    try add(ends[1])
    list.append(ends[1])
    stdout = ends[0]
  }

  /// Adds a pipe whose descriptors no child inherits by accident; reading never blocks.
  private mutating func addPipe() throws(StartFailure) -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard csystem_pipe(&ends, 0) == 0 else { throw StartFailure(stage: .process, number: errno) }
    own.append(ends[0])
    try add(ends[1])
    return ends[0]
  }
}
