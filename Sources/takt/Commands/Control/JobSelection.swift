import ArgumentParser
import Glibc
import TaktAPI
import TaktCore

struct JobSelection: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The jobs' names; the name of a definition with 'for_each' stands for all of its jobs.",
      valueName: "job"), completion: JobCompletion.kind)
  var jobs: [String] = []

  @Option(parsing: .singleValue, help: "All jobs with this tag. Repeatable.")
  var tag: [String] = []

  @Flag(help: "All jobs. Asks before it starts, on a terminal.")
  var all = false

  @Flag(name: .shortAndLong, help: "Do not ask.")
  var yes = false

  /// The keys that it reads of each of a hundred thousand jobs.
  private static let keys: Set<String> = [
    "jobs", "name", "state", "tags", "active", "run", "suspension",
  ]

  /// True if it names one job, whose answer is printed unchanged.
  var isSingle: Bool { jobs.count == 1 && tag.isEmpty && !all }

  func validate() throws {
    switch (jobs.isEmpty, tag.isEmpty, all) {
    case (true, true, false): throw ValidationError("Specify a job, --tag or --all.")
    case (false, _, true), (_, false, true), (false, false, _):
      throw ValidationError("Job names, --tag and --all cannot be combined.")
    case (false, true, false), (true, false, false), (true, true, true): break
    }
  }

  /// The names of the jobs, each once; ends the program if there are none, or if the user at the
  /// terminal says no.
  ///
  /// - Parameters:
  ///   - verb: the action: "Suspend".
  ///   - concerns: true for the jobs that are meant among those with a tag, or among all.
  func names(
    from connection: ControlArgument.Connection, to verb: String,
    where concerns: (API.Job) -> Bool = { _ in true }
  ) throws -> [String] {
    var known: Set<String> = []
    if !jobs.isEmpty {
      let named = try jobs.flatMap { name in
        let members = try connection.members(of: name)
        return members.isEmpty ? [name] : members
      }
      return named.filter { known.insert($0).inserted }
    }
    var found: [API.Job] = []
    for match in all ? [nil] : tag.map(Optional.some) {
      let query = match.map { "&match=\($0.asQueryValue)" } ?? ""
      let (page, _) = try connection.ask(
        API.JobPage.self, "GET", "/api/v1/jobs?limit=100000\(query)", only: Self.keys)
      found += page.jobs.elements.filter { job in
        match.map { job.tags.contains($0) } ?? true && known.insert(job.name).inserted
      }
    }
    if found.isEmpty {
      Console.error(
        all ? "takt: there are no jobs" : "takt: no job has the tag '\(tag.joined().printable)'")
      throw ExitCode.usage
    }
    let names = found.filter(concerns).map(\.name)
    if all, !yes, !names.isEmpty, !isConfirmed(verb, names.count) {
      Console.error("takt: nothing was changed")
      throw ExitCode.failure
    }
    return names
  }

  private func isConfirmed(_ verb: String, _ count: Int) -> Bool {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return true }
    let question = "\(verb) \(count == 1 ? "1 job" : "all \(count) jobs")? [y/N] "
    question.withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
    return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
  }

  /// Calls `body` for each job. A refusal is printed and the others follow; ends the program with
  /// the first one's exit code.
  func each(_ names: [String], _ body: (String) throws -> Void) throws {
    var failure: (any Error)?
    for name in names {
      do { try body(name) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}

extension API.Job {
  /// True also while a run of it is active and its state is `running`.
  var isSuspended: Bool { suspension != nil || state == JobView.State.suspended.rawValue }
}
