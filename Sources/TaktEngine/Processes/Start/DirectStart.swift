import CTaktSystem
import TaktCore
import TaktSystem

/// A command that starts in place of the shell which would only execute it.
struct DirectStart: Sendable {
  let words: [String]
  /// The shell whose rules apply to the start.
  let shell: StandardShell

  init(words: [String], of shell: StandardShell) {
    self.words = words
    self.shell = shell
  }

  /// Nil for a text that needs the job's shell.
  init?(_ text: String, _ execution: Execution) {
    guard let shell = StandardShell.installed,
      let words = execution.directWords(of: text, { shell.foresees($0, $1) })
    else { return nil }
    self.init(words: words, of: shell)
  }

  /// The paths at which the shell looks for the program, in order; nil if it has rules of its own.
  func candidates(path: String?) -> [String]? {
    guard let program = words.first else { return nil }
    if program.utf8.contains(UInt8(ascii: "/")) { return [program] }
    // Without a `PATH` each shell has a built-in list. Bytes that are no valid text are lost here.
    guard let path, !path.isEmpty, !path.unicodeScalars.contains("\u{FFFD}") else { return nil }
    var result: [String] = []
    for folder in path.split(separator: ":", omittingEmptySubsequences: false) {
      switch shell {
      case .dash:
        if folder.utf8.contains(UInt8(ascii: "%")) { return nil }
        result.append(folder.isEmpty ? program : "\(folder)/\(program)")
      case .bash:
        if folder.hasPrefix("~") { return nil }
        let start = folder.isEmpty ? "./" : folder.hasSuffix("/") ? folder : folder + "/"
        result.append(start + program)
      }
    }
    return result
  }
}

/// The data that C needs for a direct start.
struct DirectRequest {
  private var candidates: CStringBlock
  private var words: CStringBlock
  private var added: CStringBlock
  private let dropped: [Int32]
  private let folder: Int32
  private let namesProgram: Bool

  /// Nil if the shell has to be started.
  init?(_ start: DirectStart?, _ environment: ChildEnvironment) {
    guard let start, let left = environment.shell, left.isKnown,
      let candidates = start.candidates(path: environment.path)
    else { return nil }
    self.candidates = CStringBlock(candidates.map { "_=" + $0 })
    words = CStringBlock(start.words)
    guard !self.candidates.hasZeroByte, !words.hasZeroByte else { return nil }
    added = CStringBlock(left.added.map { [$0] } ?? [])
    dropped = left.dropped
    folder = left.folder ?? -1
    namesProgram = left.namesProgram
  }

  /// The pointers are valid within `body` only; nil for none.
  static func withRequest<Result>(
    of direct: DirectRequest?, _ body: (UnsafePointer<csystem_direct>?) -> Result
  ) -> Result {
    guard var request = direct else { return body(nil) }
    return request.withRequest { body($0) }
  }

  private mutating func withRequest<Result>(
    _ body: (UnsafePointer<csystem_direct>) -> Result
  ) -> Result {
    let (dropped, folder, namesProgram) = (dropped, folder, namesProgram)
    return candidates.withPointers { candidates in
      words.withPointers { words in
        added.withPointers { added in
          dropped.withUnsafeBufferPointer { dropped in
            // A pointer to mutable bytes has the same layout as one to constant bytes.
            var request = csystem_direct(
              candidates: UnsafePointer(OpaquePointer(candidates)), argv: words,
              dropped: dropped.baseAddress, dropped_count: Int32(dropped.count), folder: folder,
              added: added.pointee.map { UnsafePointer($0) }, names_program: namesProgram ? 1 : 0)
            return body(&request)
          }
        }
      }
    }
  }
}
