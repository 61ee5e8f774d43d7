import ArgumentParser

/// The command line: `takt run`, `takt check`, `takt plan`, `takt next`.
@main
struct Takt: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "takt",
    abstract: "A job scheduler for one machine: edit jobs.yaml, run it, reload it with SIGHUP.")
}
