import Foundation

/// The status and the output of a command that has ended.
struct TaktAnswer {
  var status: Int32
  var output: String
  var errors: String

  /// Both of its streams.
  var text: String { output + errors }
}

extension TemporaryFolder {
  /// A folder with this jobs file.
  convenience init(_ jobs: String) throws {
    try self.init()
    try write(jobs)
  }

  /// Runs takt, or another program, in this folder to its end.
  func takt(
    _ arguments: [String], program: String = TaktProcess.executable.path
  ) throws -> TaktAnswer {
    let process = try TaktProcess(arguments, program: program, in: self)
    let output = try process.text()
    return TaktAnswer(status: process.waitForExit(), output: output, errors: process.errors)
  }

  func takt(_ arguments: String...) throws -> TaktAnswer { try takt(arguments) }
}
