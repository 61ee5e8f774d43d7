import Foundation
import TaktSystem
import TaktTransfer
import TaktTesting
import Testing

@testable import TaktClaims

/// The servers that takt accepts as etcd: the file of certificates is checked as each `ca_file` is.
@Suite struct EtcdTrustTests {
  private let folder = TemporaryFolder()
  private var path: String { folder["ca.pem"] }

  init() { folder.write("certificates", to: "ca.pem") }

  private func trust() throws(EtcdProblem) -> TransferTrust {
    try EtcdAccess(endpoints: [], authority: path).trust()
  }

  private func problem() -> EtcdProblem? {
    do throws(EtcdProblem) {
      _ = try trust()
      return nil
    } catch {
      return error
    }
  }

  @Test func `a file that is there is read, and one that is not is named`() throws {
    #expect(problem() == nil)
    try FileManager.default.removeItem(atPath: path)
    #expect(problem() == .unreadableFile(path, .system(ENOENT)))
  }

  @Test(.enabled(if: geteuid() == 0, "another user takes root"))
  func `as root a file that somebody else could have written is refused`() throws {
    #expect(chown(path, 47_326, 47_326) == 0)
    guard case .unreadableFile(_, .distrusted(_))? = problem() else {
      Issue.record("\(String(describing: problem()))")
      return
    }
    #expect(chown(path, 0, 0) == 0 && chmod(path, 0o666) == 0)
    guard case .unreadableFile(_, .distrusted(_))? = problem() else {
      Issue.record("\(String(describing: problem()))")
      return
    }
  }
}
