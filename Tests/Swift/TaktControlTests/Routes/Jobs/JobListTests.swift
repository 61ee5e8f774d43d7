import Foundation
import Testing

@testable import TaktCore

/// The list of jobs: its pages, its filters, and the table of it.
@Suite struct JobListTests {
  private func names(_ reply: Reply) -> [String] {
    reply.list("jobs").compactMap { $0["name"] as? String }
  }

  @Test func `without jobs the list is empty, and ends`() async throws {
    let reply = try await ControlWorld().get("/api/v1/jobs")
    #expect(reply.status == 200 && names(reply).isEmpty)
    #expect(reply["total"] as? Int == 0 && reply["after"] == nil)
  }

  @Test(arguments: [1, 7, 256, 257, 599, 600, 100_000])
  func `pages of any size hold each job once, in the order of names`(limit: Int) async throws {
    let all = (0..<600).map { "job-\($0)" }
    let world = try await ControlWorld(all.map { try .named($0) })
    var found: [String] = []
    var after = ""
    // The first few pages and the last, of many small ones.
    while found.count < min(600, limit * 20) {
      let page = try world.get("/api/v1/jobs?limit=\(limit)\(after)")
      #expect(page["total"] as? Int == 600)
      found += names(page)
      guard let last = page["after"] as? String else { break }
      #expect(last == found.last && names(page).count == limit)
      after = "&after=\(last)"
    }
    #expect(found == Array(all.sorted().prefix(found.count)))
    #expect(found.count == min(600, limit * 20))
  }

  @Test func `a page continues after a name that there is no more`() async throws {
    let world = try await ControlWorld(["a", "c", "d"].map { try .named($0) })
    #expect(names(try world.get("/api/v1/jobs?after=b")) == ["c", "d"])
    #expect(names(try world.get("/api/v1/jobs?after=d")) == [])
    #expect(names(try world.get("/api/v1/jobs?after=Z&match=c")) == ["c"])
  }

  @Test func `a text is found in names of any case, and among tags as a whole`() async throws {
    let world = try await ControlWorld([
      .named("Backup.db", tags: ["night"]), .named("backup-files", tags: ["nightly"]),
      .named("report", tags: ["night"]),
    ])
    for (match, expected) in [
      ("backup", ["Backup.db", "backup-files"]), ("BACKUP", ["Backup.db", "backup-files"]),
      ("night", ["Backup.db", "report"]), ("Night", []), ("%2edb", ["Backup.db"]), ("none", []),
      ("", ["Backup.db", "backup-files", "report"]),
    ] {
      let reply = try world.get("/api/v1/jobs?match=\(match)")
      #expect(names(reply) == expected, "\(match)")
      #expect(reply["total"] as? Int == expected.count, "\(match)")
    }
    let first = try world.get("/api/v1/jobs?match=night&limit=1")
    #expect(names(first) == ["Backup.db"] && first["after"] as? String == "Backup.db")
    #expect(first["total"] as? Int == 2)
    let rest = try world.get("/api/v1/jobs?match=night&limit=1&after=Backup.db")
    #expect(names(rest) == ["report"] && rest["after"] == nil && rest["total"] as? Int == 2)
  }

  @Test func `each state is a filter, and so is failing`() async throws {
    let settings = SchedulerSettings(maxRunning: 1)
    let world = try await ControlWorld(
      [
        .named("broken", every: nil), .named("idle", every: nil), .named("off", isEnabled: false),
        .named("queued", every: nil), .named("resting"), .named("running", every: nil),
        .named("waiting"),
      ], settings: settings)
    world.scheduler.end(try world.trigger("broken"), .exited(1))
    _ = try world.trigger("running")
    _ = try world.trigger("queued")
    _ = try world.post("/api/v1/jobs/resting/suspend")
    for (state, expected) in [
      ("waiting", ["waiting"]), ("running", ["running"]), ("queued", ["queued"]),
      ("suspended", ["resting"]), ("disabled", ["off"]), ("idle", ["broken", "idle"]),
      ("failing", ["broken"]), ("backing_off", []), ("limit", []),
    ] {
      #expect(names(try world.get("/api/v1/jobs?state=\(state)")) == expected, "\(state)")
    }
    #expect(names(try world.get("/api/v1/jobs?state=idle&match=bro")) == ["broken"])
  }

  @Test(arguments: [
    "state=odd | there is no state 'odd'", "state= | there is no state ''",
    "limit=0 | 'limit' takes a whole number from 1 to 100000",
    "limit=100001 | 'limit' takes a whole number from 1 to 100000",
    "after=a/b | 'after' must be the name of a job", "after= | 'after' must be the name of a job",
    "width=19 | 'width' takes a whole number from 20 to 1000",
    "lmit=1 | unknown parameter 'lmit'", "limit=1&limit=1 | duplicate parameter 'limit'",
    "match=a&match=a | duplicate parameter 'match'",
  ])
  func `what the list does not take is refused and said`(row: String) async throws {
    let parts = row.components(separatedBy: " | ")
    let reply = try await ControlWorld().get("/api/v1/jobs?\(parts[0])")
    #expect(reply.problem == "400 badRequest")
    #expect(reply["title"] as? String == parts[1])
  }

  @Test func `a text to match has at most two hundred characters`() async throws {
    let world = try await ControlWorld([.named("a")])
    let long = String(repeating: "%C3%A4", count: 200)
    #expect(try world.get("/api/v1/jobs?match=\(long)").status == 200)
    #expect(try world.get("/api/v1/jobs?match=\(long)x").status == 400)
  }

  // MARK: The table

  @Test func `a terminal gets a table, with where it continues`() async throws {
    let world = try await ControlWorld(["a", "b", "c"].map { try .named($0) })
    let reply = try world.get("/api/v1/jobs?limit=2", headers: ["Accept: text/plain"])
    #expect(reply.headers["content-type"] == "text/plain; charset=utf-8")
    #expect(
      reply.text == """
        JOB  STATE    NEXT   LAST  LATE  FAILED  NOT RUN
        a    waiting  in 1m  -     -     -       -
        b    waiting  in 1m  -     -     -       -
        … more: 3 in all, the next ones after b
        2 jobs
        processes tracked by cgroup v2

        """)
    let filtered = try world.get("/api/v1/jobs?match=c", headers: ["Accept: text/plain"])
    #expect(!filtered.text.contains("tracked by") && filtered.text.contains("\nc    waiting"))
  }

  @Test func `a narrow table cuts names, and no line has blanks at its end`() async throws {
    let long = String(repeating: "n", count: 60)
    let world = try await ControlWorld([.named(long)])
    for width in [20, 60, 80, 1000] {
      let text = try world.get("/api/v1/jobs?width=\(width)", headers: ["Accept: text/plain"]).text
      let lines = text.split(separator: "\n").prefix(2)
      #expect(lines.allSatisfy { $0.last != " " }, "\(width)")
      #expect(lines.allSatisfy { $0.count <= max(width, 64) }, "\(width): \(text)")
      #expect(lines[1].contains("…") == (width < 100), "\(width): \(text)")
    }
  }

  @Test func `the table tells of runs, failures and rest`() async throws {
    let world = try await ControlWorld([
      .named("bad", every: nil), .named("busy", every: nil, overlap: .allow), .named("resting"),
    ])
    world.scheduler.end(try world.trigger("bad"), .exited(2))
    _ = try world.trigger("busy")
    _ = try world.trigger("busy")
    _ = try world.post("/api/v1/jobs/resting/suspend", #"{"for":"2d"}"#)
    world.scheduler.pass(.seconds(5))
    let text = try world.get("/api/v1/jobs", headers: ["Accept: text/plain"]).text
    let rows = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(rows[1] == "bad idle by hand failed exit(2) 5 s ago - 1× -")
    #expect(rows[2] == "busy running 2× by hand - - - -")
    #expect(rows[3] == "resting suspended resumes in 1d 23h - - - -")
  }

  @Test func `one running and two queued are not three running`() async throws {
    let world = try await ControlWorld([.named("busy", every: nil, overlap: .queue)])
    for _ in 0..<3 { _ = try world.trigger("busy") }
    let text = try world.get("/api/v1/jobs", headers: ["Accept: text/plain"]).text
    let rows = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(rows[1] == "busy running, 2 queued by hand - - - -")
  }

  @Test func `jobs that fail come first in the table, and its last line counts them`() async throws
  {
    let world = try await ControlWorld([
      .named("a"), .named("b", every: nil), .named("c", isEnabled: false), .named("z", every: nil),
    ])
    world.scheduler.end(try world.trigger("z"), .exited(1))
    let text = try world.get("/api/v1/jobs", headers: ["Accept: text/plain"]).text
    let names = text.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(names.prefix(5) == ["JOB", "z", "a", "b", "c"], "\(text)")
    #expect(text.contains("\n4 jobs, 1 failing, 1 disabled\n"), "\(text)")
    let filtered = try world.get("/api/v1/jobs?match=a", headers: ["Accept: text/plain"]).text
    #expect(filtered.hasSuffix("\n1 job\n"), "\(filtered)")
  }
}
