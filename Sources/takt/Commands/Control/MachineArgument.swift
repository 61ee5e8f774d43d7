import ArgumentParser
import TaktCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

/// The part of an answer about all machines that says what is missing of it.
struct AskedMachines: Decodable {
  var problems: [String]

  /// Says what is missing, and ends the program if there is something.
  func exitIfIncomplete() throws {
    for problem in problems { Console.error("takt: \(problem.printable)") }
    if !problems.isEmpty { throw ExitCode.unreachable }
  }
}

extension ControlArgument.Connection {
  /// An answer about all machines, and what is missing of it.
  func askCluster<Value: Decodable>(
    _ type: Value.Type, _ target: String
  ) throws -> (value: Value, bytes: [UInt8], asked: AskedMachines) {
    let (value, bytes) = try ask(type, "GET", target)
    let asked = try? JSONDecoder().decode(AskedMachines.self, from: Data(bytes))
    return (value, bytes, asked ?? AskedMachines(problems: []))
  }

  /// Where a machine's part of the API is.
  static func path(of machine: String) -> String {
    "/api/v1/cluster/machines/\(machine.asPathPart)"
  }
}

/// A run on some machine of the cluster, as the API gives it.
struct ClusterRunAnswer: Codable {
  var machine: String
  var member: UInt64?
  var run: UInt64
  var job: String
  var slot: String
  var kind: String
  var hook: String?
  var parent: UInt64?
  var state: String
  var began: String?
  var ended: String?
  var duration_ms: Double?
  var cpu_ms: Double?
  var cpu_user_ms: Double?
  var cpu_system_ms: Double?
  var memory_peak: Int64?
  var read_bytes: Int64?
  var written_bytes: Int64?
  var switches_voluntary: Int64?
  var switches_involuntary: Int64?
  var attempts: Int
  var outcome: String?
  var reason: String?

  /// The word by which the API finds its machine, whatever others are called.
  var machineWord: String { member.map { "member:\($0)" } ?? machine }
}

struct ClusterRunsAnswer: Decodable {
  var runs: [ClusterRunAnswer]
}
