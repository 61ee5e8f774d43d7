import TaktCore
import TaktEngine
import TaktImport
import Testing

@testable import takt

/// The sentences of an import whose jobs file takt refuses.
@Suite struct ImportCheckTests {
  private static func check(_ jobs: String, isForeign: Bool) -> ImportCheck {
    var result = Importer(
      .standard(header: "test"), tree: ImportTree(root: nil), machine: SystemAccounts()
    ).run([])
    result.text = "jobs:\n  a: {every: 1h, \(jobs)}\n"
    return ImportCheck(of: result, isForeign: isForeign)
  }

  @Test(arguments: [true, false]) func `what no machine takes is a bug of import`(isForeign: Bool) {
    let check = Self.check("run: [/bin/true], shell: /bin/bash", isForeign: isForeign)
    #expect(check.bugs.count == 1)
    #expect(check.refusals.isEmpty)
    #expect(!check.isRight)
  }

  @Test func `what another machine may take is none`() {
    let jobs = "run: /bin/true, user: no-such-user"
    let check = Self.check(jobs, isForeign: false)
    #expect(check.bugs.isEmpty)
    #expect(check.refusals.map(\.code) == [.unknownAccount])
    let foreign = Self.check(jobs, isForeign: true)
    #expect(foreign.isRight)
    #expect(
      foreign.remark
        == "'takt check' refuses the jobs file on this machine: there is no user 'no-such-user'")
    #expect(Self.check("run: /bin/true", isForeign: true).remark == nil)
    #expect(Self.check("run: /bin/true", isForeign: false).isRight)
  }
}
