import ArgumentParser
import TaktAPI
import TaktCore

/// Which machines of the cluster a command is about.
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

/// What is missing of an answer about all machines.
struct AskedMachines {
  var problems: [String] = []

  /// Says what is missing, and ends the program if there is something.
  func exitIfIncomplete() throws {
    for problem in problems { Console.error("takt: \(problem.printable)") }
    if !problems.isEmpty { throw ExitCode.unreachable }
  }
}

extension ControlArgument.Connection {
  /// Where a machine's part of the API is.
  static func path(of machine: String) -> String {
    "/api/v1/cluster/machines/\(machine.asPathPart)"
  }
}

extension API.ClusterRun {
  /// The word by which the API finds its machine, whatever others are called.
  var machineWord: String { member.map { "member:\($0)" } ?? machine }
}
