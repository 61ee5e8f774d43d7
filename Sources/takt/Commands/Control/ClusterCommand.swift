import ArgumentParser
import TaktAPI
import TaktClaims
import TaktCore
import TaktEngine
import TaktTime

struct ClusterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster",
    abstract: "Show the machines that share jobs, or prepare their database.",
    subcommands: [ClusterShowCommand.self, ClusterSQLCommand.self, ClusterRetireCommand.self],
    defaultSubcommand: ClusterShowCommand.self)
}

/// The command that the guard executes when takt was killed: `ClusterLink.farewell`.
struct ClusterRetireCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire",
    abstract: "Say that nothing is left of a killed daemon's runs.",
    shouldDisplay: false)

  @OptionGroup var control: ControlArgument

  @Argument(help: "What the daemon was in the cluster.")
  var member: UInt64

  func run() throws {
    let source = JobsFileSource(path: control.file, catalogue: BuiltinRegistry.standard)
    let settings = try source.loadOrExit(isQuiet: true).snapshot.settings
    guard let cluster = settings.cluster else {
      Console.error("takt: \(control.file) has no 'scheduler.cluster'")
      throw ExitCode.configuration
    }
    guard control.quietConnection?.askQuietly(API.Status.self, "/api/v1/status") == nil else {
      Console.error("takt: a daemon runs here again, which tells the cluster itself")
      return
    }
    let link = ClusterLink(cluster, settings.http)
    defer { link.close() }
    guard link.retire(MemberID(member)) else {
      Console.error(
        "takt: the cluster could not be told that nothing is left of the killed daemon; the other "
          + "machines wait for the end of its lease and grace period")
      throw ExitCode.unreachable
    }
    Console.error("takt: the cluster knows that nothing is left of the killed daemon")
  }
}

struct ClusterSQLCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sql",
    abstract: "Print the SQL that installs or upgrades the schema in PostgreSQL.",
    discussion: """
      Run it as a role that may create schemas in the database: takt cluster sql | psql DATABASE. \
      It can run again. It needs no daemon and no jobs file.
      """)

  @Option(
    help: """
      Also print the GRANTs that this role of the daemons needs. (default: print them as a comment)
      """)
  var role: String?

  /// PostgreSQL cuts off a longer name.
  private static let roleBytesMax = 63

  func validate() throws {
    guard let role else { return }
    if role.isEmpty { throw ValidationError("--role is empty; specify the name of a role.") }
    if role.unicodeScalars.contains(where: { $0.steersTerminal }) {
      throw ValidationError("--role has a control character; specify the name of a role.")
    }
    if role.utf8.count > Self.roleBytesMax {
      throw ValidationError(
        "--role has \(role.utf8.count) bytes; names in PostgreSQL have \(Self.roleBytesMax) at most."
      )
    }
    if role == "public" || role == "none" {
      throw ValidationError(
        "'\(role)' cannot be the name of a role in PostgreSQL"
          + (role == "public" ? ": it means every role." : "."))
    }
  }

  func run() {
    Console.print(PostgresSchema.sql)
    guard let role else {
      Console.print("-- The daemons' role needs these rights; --role NAME prints them for a role.")
      for line in PostgresSchema.grants(to: "NAME").split(separator: "\n") {
        Console.print("-- \(line)")
      }
      return
    }
    Console.print("-- The rights that the daemons' role needs.")
    Console.print(String(PostgresSchema.grants(to: role).dropLast()))
  }
}

struct ClusterShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the machines that share jobs with this one.",
    discussion: """
      Prints what is wrong first, then the machines and the jobs that wait, as this machine sees \
      them. Exits with 69 if takt is not running.
      """)

  @Flag(help: "Print the API's JSON.")
  var json = false

  @OptionGroup var control: ControlArgument

  func run() throws {
    let (cluster, bytes) = try control.connect().ask(API.Cluster.self, "GET", "/api/v1/cluster")
    if json { return Console.printJSON(bytes) }
    guard cluster.enabled else {
      return Console.print("no cluster: the jobs file has no 'scheduler.cluster'")
    }
    cluster.print()
  }
}

extension API.Cluster {
  /// For people: problems come first, here and in each table.
  fileprivate func print() {
    for problem in problems ?? [] { Console.print("problem: \(problem)".printable) }
    let members = self.members ?? []
    let alive = members.count(where: \.alive)
    Console.print(
      "cluster '\(name ?? "")': \(alive) machine\(alive == 1 ? "" : "s"), engine "
        + (engineAnswers == true ? "answers" : "does not answer"))
    Console.print(("this machine: '\(machine ?? "")', " + standing).printable)
    Console.print(
      titles: [
        "MACHINE", "MEMBER", "STATE", "LEASE", "CLOCK", "VERSION", "ZONES", "HOST", "LABELS",
      ],
      rows: members.sorted(by: isWorse).map(columns)
    )
    Console.print(
      titles: ["JOB", "STATE", "SLOTS"], rows: (jobs ?? []).sorted(by: isWorse).map(columns)
    )
  }

  private var standing: String {
    guard let member else { return "not a member" }
    let words = leaseLeft.map {
      "lease valid for \(Self.words($0)) of \(Self.words(lease ?? .zero))"
    }
    return "member \(member), " + (words ?? "without a lease")
  }

  private func isWorse(_ left: API.ClusterMember, _ right: API.ClusterMember) -> Bool {
    func key(_ member: API.ClusterMember) -> (Int, Int, String, UInt64) {
      (
        member.alive ? 1 : 0, abs(member.clockOffset.milliseconds) >= 1000 ? 0 : 1, member.machine,
        member.member
      )
    }
    return key(left) < key(right)
  }

  private func isWorse(_ left: Job, _ right: Job) -> Bool {
    func key(_ job: Job) -> (Int, Int, String) {
      (job.drifted ? 0 : 1, job.waiting > 0 ? 0 : 1, job.job)
    }
    return key(left) < key(right)
  }

  private func columns(_ member: API.ClusterMember) -> [String] {
    let offset = Self.words(.milliseconds(abs(member.clockOffset.milliseconds)))
    let labels = member.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return [
      member.machine, "\(member.member)",
      !member.alive ? "lease over" : member.member == self.member ? "this machine" : "alive",
      Self.words(member.lease),
      offset == "0s" ? offset : (member.clockOffset < .zero ? "-" : "+") + offset, member.version,
      member.zoneData ?? "-", member.host,
      labels.isEmpty ? "-" : labels.joined(separator: ", "),
    ].map(\.printable)
  }

  private func columns(_ job: Job) -> [String] {
    let state = job.drifted ? "newer schedule elsewhere" : job.waiting > 0 ? "waits" : "is claimed"
    return [job.job, state, "\(job.waiting + job.claiming)"]
  }

  private static func words(_ duration: Duration) -> String {
    DurationText.format(.milliseconds(duration.milliseconds))
  }
}
