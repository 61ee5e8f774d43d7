import Hummingbird
import TaktAPI
import TaktCore

struct PlanRoutes {
  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    routes.get(
      "/api/v1/plan",
      RouteAbout(
        "planFile",
        "Show what a reload of the jobs file as it is on disk would change, without applying it",
        .object(API.Plan.self, "The plan"), .wrongFile), planFile)
    routes.post(
      "/api/v1/plan", needs: .full,
      RouteAbout(
        "plan",
        "Show what a reload with this text as the jobs file would change, without applying it",
        .object(API.Plan.self, "The plan"), .tooLarge, .wrongFile
      ).taking(Self.values).taking(.jobsFile), plan)
    routes.post(
      "/api/v1/reload", needs: .full,
      RouteAbout(
        "reload", "Reload the jobs file and return the applied plan",
        .object(API.Plan.self, "The plan that was applied"), .wrongFile), reload)
  }

  private static let values = Parameter.flag(
    "values",
    "With the changed values of commands and environments, secrets masked; only on the Unix socket")

  @Sendable private func plan(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let showsValues = try context.query[Self.values]
    guard !showsValues || context.isLocal else {
      throw Problem(.forbidden, "values are shown only on the Unix socket")
    }
    let text = try await request.bytes(upTo: ControlContext.bodyBytesMax)
    let report = await withCheckedContinuation { continuation in
      ports.reload.plan(text: text, isRemote: !context.isLocal) {
        continuation.resume(returning: $0)
      }
    }
    // On the socket is takt's own user, who may read what takt may.
    if showsValues { return try answer(report, showsValues: true) }
    let includesItself = String(decoding: text, as: UTF8.self).contains("include")
    return try answer(
      report.withoutWords(but: ports.facts.givenFile, isAlone: !includesItself),
      showsLines: context.isLocal)
  }

  @Sendable private func planFile(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let report = await withCheckedContinuation { continuation in
      ports.reload.plan { continuation.resume(returning: $0) }
    }
    // As for a job: readers may not see an environment.
    return try answer(report, showsValues: context.access >= .full)
  }

  @Sendable private func reload(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let report = await withCheckedContinuation { continuation in
      ports.reload.reload(cause: "request") { continuation.resume(returning: $0) }
    }
    return try answer(report, showsValues: true)
  }

  /// - Parameters:
  ///   - showsValues: true to include commands and environments. False for a text from a client: it
  ///     may include a file, or name an `env_file`, that only takt may read.
  ///   - showsLines: true to include what lines of files have made of jobs, names too.
  private func answer(
    _ report: ReloadReport, showsValues: Bool = false, showsLines: Bool = true
  ) throws -> Response {
    guard let plan = report.plan else { throw Problem(refusing: report.diagnostics) }
    return .json(API.Plan(plan, report, showsValues: showsValues, showsLines: showsLines))
  }
}

extension ReloadReport {
  /// Removes the words of other files than the one that was sent: the sender of a text with
  /// includes may not see their content. Mistakes there keep their places and their codes.
  ///
  /// - Parameter isAlone: true if the text cannot include anything, not even the file itself.
  fileprivate func withoutWords(but file: String, isAlone: Bool) -> ReloadReport {
    var report = self
    report.diagnostics = diagnostics.map { diagnostic in
      var diagnostic = diagnostic
      if diagnostic.location.file != file {
        diagnostic.message = "\(diagnostic.code.rawValue) (text hidden)"
        diagnostic.hint = nil
        diagnostic.sourceLine = nil
      } else if !isAlone {
        diagnostic.sourceLine = nil
      }
      return diagnostic
    }
    return report
  }
}
