import Foundation
import Testing

/// The commands for a cluster, where there is no engine.
@Suite struct ClusterCommandTests {
  private static let job = "jobs: {shared: {every: 1m, run: 'true'}}\n"

  @Test func `a daemon without a cluster says that it has none`() throws {
    let live = try LiveTakt(Self.job)
    let cluster = try live.takt("cluster")
    #expect(cluster.status == 0)
    #expect(cluster.output == "no cluster: the jobs file has no 'scheduler.cluster'\n")
    #expect(try live.takt("cluster", "--json").output == "{\"enabled\":false}\n")
    #expect(try !live.takt("status").output.contains("cluster"))
    #expect(try live.process.stop() == 0)
    #expect(try live.takt("cluster").status == 69)
  }

  @Test func `a daemon whose engine cannot be reached says why, first of all`() throws {
    let live = try LiveTakt(
      """
      scheduler:
        cluster: {engine: postgres, url: 'host=/no/such/folder user=u password=hunter2', machine: m, start: degrade}

      """ + Self.job)
    let cluster = try live.takt("cluster")
    #expect(cluster.status == 0, "\(cluster)")
    let lines = cluster.output.split(separator: "\n")
    #expect(lines[0].hasPrefix("problem: the engine does not answer: "), "\(cluster.output)")
    #expect(cluster.output.contains("\ncluster 'default': 0 machines, engine does not answer\n"))
    #expect(cluster.output.contains("\nthis machine: 'm', not a member\n"))
    #expect(try live.takt("status").output.contains("\ncluster: the engine does not answer: "))
    let json = try live.takt("cluster", "show", "--json").output
    #expect(json.contains(#""engine_answers":false"#) && !json.contains("hunter2"))
    #expect(try live.process.stop() == 0)
  }

  @Test func `the SQL of the schema needs no daemon and no jobs file`() throws {
    let folder = try TemporaryFolder()
    func sql(_ arguments: String...) throws -> String {
      let takt = try TaktProcess(["cluster", "sql"] + arguments, in: folder)
      let text = try takt.text()
      #expect(takt.waitForExit() == 0 && takt.errors.isEmpty)
      return text
    }
    let plain = try sql()
    #expect(plain.contains("CREATE SCHEMA takt") && plain.contains("\nCOMMIT;\n"))
    // Without a role nothing is granted to anybody.
    #expect(!plain.contains("\nGRANT ") && plain.contains("\n-- GRANT EXECUTE ON FUNCTION takt.batch"))
    let named = try sql("--role", #"the "daemons""#)
    #expect(named.hasPrefix(plain.prefix(1000)))
    #expect(named.contains("\nGRANT USAGE ON SCHEMA takt TO \"the \"\"daemons\"\"\";\n"))
  }
}
