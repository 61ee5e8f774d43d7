import Glibc
import Testing

/// A daemon of a cluster that is killed, and not started again.
@Suite(.enabled(if: ClusterMachines.isInstalled, "PostgreSQL is not installed"), .ownThreads)
struct ClusterKillTests {
  /// Its lease ends long after a test has given up.
  @Test func `a killed daemon's run excludes no slot of another machine any more`() throws {
    let cluster = try ClusterMachines("jobs: {long: {every: 1s, run: 'exec sleep 600'}}\n")
    try cluster.start("a", lease: "5m")
    try cluster.process("a").line("the run") { $0.job == "long" && $0.verdict == "ran" }
    try cluster.start("b", lease: "5m")
    try cluster.process("a").signal(SIGKILL)
    try cluster.process("b").line("a run of its own") { $0.job == "long" && $0.verdict == "ran" }
  }
}
