import ArgumentParser
import Glibc
import TaktCore
import TaktEngine

/// The jobs file of commands without a daemon: as the last argument, or with the option that all
/// commands have.
struct FileArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The jobs file. (default: TAKT_FILE or jobs.yaml)", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  private var argument: String?

  @Option(
    name: [.customShort("f"), .customLong("file")], help: "The jobs file, as in other commands.",
    completion: .file(extensions: ["yaml", "yml"]))
  private var option: String?

  var file: String { option ?? argument ?? JobsFileChoice.standard }

  func validate() throws {
    guard argument == nil || option == nil else {
      throw ValidationError("Name the jobs file once: as an argument or with --file.")
    }
  }

  /// Ends the program if there is no such jobs file. Only for a file named explicitly: with another
  /// file's state, a wrong name would show unexpected results.
  static func requireFile(_ path: String) throws {
    guard access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR else { return }
    Console.error(
      "takt: there is no jobs file \(path.printable); name another with -f, or the state folder with "
        + "--state")
    throw ExitCode.configuration
  }

  /// The file as a source of jobs, checked against the built-ins' names and parameters.
  var source: JobsFileSource { JobsFileSource(path: file, catalogue: BuiltinRegistry.standard) }

  /// A job's name and the file; a first argument that is plainly a file is no job, unless the file
  /// is named already.
  func orFile(_ first: String?) -> (job: String?, argument: FileArgument) {
    guard let first, argument == nil, option == nil,
      first.hasSuffix(".yaml") || first.hasSuffix(".yml") || first.contains("/")
    else { return (first, self) }
    var other = self
    other.argument = first
    return (nil, other)
  }

  /// Ends the program if the file has no such job.
  func job(named name: String, in snapshot: Snapshot) throws -> JobSpec {
    if let spec = snapshot.jobs.first(where: { $0.name.text == name }) { return spec }
    Console.error(
      "takt: there is no job '\(name.printable)' in \(file)"
        + (snapshot.advice(onUnknown: name).map { "; \($0)" } ?? "").printable)
    throw ExitCode.usage
  }
}
