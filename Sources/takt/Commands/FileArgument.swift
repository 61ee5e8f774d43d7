import ArgumentParser
import TaktEngine

/// The jobs file that most commands take.
struct FileArgument: ParsableArguments {
  @Argument(help: "The jobs file.", completion: .file(extensions: ["yaml", "yml"]))
  var file = "jobs.yaml"

  /// The file as a source of jobs, checked against the built-ins' names and parameters.
  var source: JobsFileSource { JobsFileSource(path: file, catalogue: BuiltinRegistry.standard) }
}
