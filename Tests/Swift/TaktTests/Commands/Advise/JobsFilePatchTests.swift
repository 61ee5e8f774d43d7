import TaktEngine
import Testing

@testable import TaktCore
@testable import takt

/// `takt advise --patch`, for proposals that a history need not make.
@Suite struct JobsFilePatchTests {
  private static let jobs = """
    scheduler: {timezone: UTC}
    jobs:
      a: {every: 1h, run: x}
      b: {every: 1h, run: x, kill: {grace: 5s}}
      c: {every: 1h, run: x}
    """

  private func proposal(_ job: String, _ key: JobKey, _ value: String) throws -> Proposal {
    Proposal(
      job: try #require(JobName(job)), rule: "test", reason: "", effect: "",
      change: .init(key, value))
  }

  private func result(of proposals: [Proposal]) throws -> JobsFilePatch.Edited {
    let folder = try TemporaryFolder()
    let source = JobsFileSource(
      path: try folder.write(Self.jobs), catalogue: BuiltinRegistry.standard)
    let snapshot = try #require(source.load().snapshot)
    return try JobsFilePatch(source).result(of: proposals, snapshot)
  }

  @Test func `a proposal that takt refuses is left out, and the others are kept`() throws {
    let edited = try result(of: [
      proposal("a", .timeout, "40s"), proposal("b", .timeout, "soon"),
      proposal("c", .expected, "20s"), proposal("c", .leeway, "10%"),
    ])
    #expect(edited.text.contains("a: {timeout: 40s, every"), "\(edited.text)")
    #expect(edited.text.contains("expected: 20s") && edited.text.contains("leeway: 10%"))
    #expect(!edited.text.contains("soon"))
    #expect(edited.leftOut.map(\.proposal.job.text) == ["b"])
    let reason = try #require(edited.leftOut.first?.reason)
    #expect(reason.hasPrefix("takt would refuse the file: ") && reason.contains("'soon'"))
  }

  @Test func `of two proposals for one key, the second is left out`() throws {
    let edited = try result(of: [
      proposal("a", .timeout, "40s"), proposal("c", .timeout, "1m"),
      proposal("a", .timeout, "50s"), proposal("nobody", .timeout, "1m"),
    ])
    #expect(edited.text.contains("a: {timeout: 40s, every"), "\(edited.text)")
    #expect(edited.text.contains("c: {timeout: 1m, every"))
    #expect(edited.leftOut.map(\.proposal.job.text) == ["a", "nobody"])
  }

  @Test func `where takt refuses all of them the file stays as it is`() throws {
    let edited = try result(of: [proposal("a", .timeout, "soon"), proposal("c", .every, "often")])
    #expect(edited.text == Self.jobs && edited.leftOut.count == 2)
  }
}
