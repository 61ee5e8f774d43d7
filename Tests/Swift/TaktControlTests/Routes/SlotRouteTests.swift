import Testing

@testable import TaktCore

@Suite struct SlotRouteTests {
  @Test func `of a job that nobody knows there are none to ask for`() async throws {
    let archive = MemoryArchive()
    let removed = try #require(JobName("removed"))
    archive.decide([
      VerdictRecord(
        job: removed, slots: SlotSeries(ControlWorld.wall), verdict: .skipped(.overlap),
        at: ControlWorld.wall)
    ])
    let world = try await ControlWorld([.named("backup")], archive: archive)
    let description = try APIDescription()
    for (query, status, count) in [
      ("", 200, 1), ("?job=backup", 200, 0), ("?job=removed", 200, 1),
      ("?job=removed&since=2199-01-01T00:00:00Z", 200, 0), ("?job=backupp", 404, 0),
    ] {
      let target = "/api/v1/slots\(query)"
      let reply = try world.get(target)
      #expect(reply.status == status && reply.list("slots").count == count, "\(query)")
      #expect(description.problems(of: reply, to: "GET", target).isEmpty, "\(query)")
    }
    let unknown = try world.get("/api/v1/slots?job=backupp")
    #expect(unknown["title"] as? String == "there is no job 'backupp'")
    #expect(unknown["detail"] as? String == "Did you mean 'backup'?")
  }
}
