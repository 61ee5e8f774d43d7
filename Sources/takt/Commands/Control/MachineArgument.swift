import ArgumentParser
import TaktAPI
import TaktCore

struct MachineArgument: ParsableArguments {
  @Flag(help: "Ask all machines of the cluster. Exits with 69 if one of them does not answer.")
  var cluster = false

  @Option(
    help: "Ask this machine of the cluster: its name, or 'member:7' where several have one name.")
  var on: String?

  var isGiven: Bool { cluster || on != nil }

  func validate() throws {
    if cluster, on != nil { throw ValidationError("--cluster cannot be combined with --on.") }
  }
}

/// The machines that are missing in an answer about all of them.
struct AskedMachines {
  var problems: [String] = []

  /// Prints the problems, and ends the program if there are any.
  func exitIfIncomplete() throws {
    for problem in problems { Console.error("takt: \(problem.printable)") }
    if !problems.isEmpty { throw ExitCode.unreachable }
  }
}

extension ControlArgument.Connection {
  static func path(of machine: String) -> String {
    "/api/v1/cluster/machines/\(machine.asPathPart)"
  }
}

extension API.ClusterRun {
  /// The word by which the API finds its machine, even if others have the same name.
  var machineWord: String { member.map { "member:\($0)" } ?? machine }
}
