import HTTPTypes
import Testing

@testable import TaktControl
@testable import TaktCore

/// Problems have one form (RFC 9457).
@Suite struct ProblemTests {
  @Test(arguments: [
    ("GET", "/nothing", "404 notFound"), ("GET", "/api/v1", "404 notFound"),
    ("GET", "/api/v1/jobs/", "200 -"), ("GET", "/api/v1/jobs/a/b/c", "404 notFound"),
    ("DELETE", "/api/v1/jobs", "405 methodNotAllowed"), ("PUT", "/", "405 methodNotAllowed"),
    ("GET", "/api/v1/jobs/a/trigger", "405 methodNotAllowed"),
    ("POST", "/api/v1/status", "405 methodNotAllowed"),
    ("OPTIONS", "/api/v1/jobs", "405 methodNotAllowed"),
    ("GET", "/api/v1/jobs?x=1", "400 badRequest"), ("GET", "/%zz", "400 badRequest"),
  ])
  func `a request that is not for a route is answered with a problem`(
    method: String, target: String, problem: String
  ) async throws {
    let world = try await ControlWorld([.named("a")])
    let reply = try world.ask(method, target)
    #expect(reply.problem == problem, "\(reply.text)")
    guard reply.status != 200 else { return }
    #expect(reply.headers["content-type"] == "application/problem+json")
    #expect(reply["status"] as? Int == reply.status && reply["type"] as? String == "about:blank")
    #expect((reply["title"] as? String)?.isEmpty == false)
  }

  @Test func `a wrong method is answered with the right ones`() async throws {
    let world = try await ControlWorld()
    let jobs = try world.ask("DELETE", "/api/v1/jobs")
    #expect(jobs["title"] as? String == "this route does not support DELETE")
    #expect(jobs["detail"] as? String == "Use GET or HEAD." && jobs.headers["allow"] == "GET, HEAD")
    let trigger = try world.get("/api/v1/jobs/any/trigger")
    #expect(trigger["detail"] as? String == "Use POST." && trigger.headers["allow"] == "POST")
  }

  @Test(arguments: ["/api/v1/status", "/api/v1/jobs/none", "/metrics", "/healthz", "/nothing"])
  func `no answer is kept or taken for another kind`(target: String) async throws {
    let reply = try await ControlWorld().get(target)
    #expect(reply.headers["x-content-type-options"] == "nosniff")
    #expect(reply.headers["cache-control"] == "no-store")
  }

  @Test(arguments: Problem.Code.allCases) func `each kind of problem has a status of its range`(
    code: Problem.Code
  ) {
    let status = Problem(code, "x").status.code
    #expect((400...599).contains(status) && (code == .internalError) == (status == 500))
  }

  @Test(arguments: [
    (SchedulerReply.unknownJob, 404), (.unknownRun, 404), (.notSuspended, 409), (.past, 400),
    (.tooMany, 409), (.overlapping(RunID(7)), 409), (.unavailable, 503), (.done(), 500),
  ])
  func `what the scheduler does not do has a reason`(reply: SchedulerReply, status: Int) {
    let problem = Problem(reply)
    #expect(problem.status.code == status && !problem.title.isEmpty)
  }
}
