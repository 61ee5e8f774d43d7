import Dispatch
import TaktTesting
import TaktTime
import Testing

@testable import TaktControl
@testable import TaktCore

/// Slow work is done on another thread, one item after the other.
@Suite struct SlowQueueTests {
  @Test func `what is done there is done in turn, and its value comes back`() async {
    let values = await withTaskGroup(of: Int.self) { group in
      for number in 0..<100 { group.addTask { await SlowQueue.perform { number } } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(values.sorted() == Array(0..<100))
  }

  @Test func `a ledger that takes its time keeps no other request waiting`() async throws {
    let archive = HungArchive()
    let world = try await ControlWorld([.named("a")], archive: archive)
    let slow = try world.connect()
    slow.send("GET", "/api/v1/runs/1", nil)
    archive.awaitReader()
    #expect(try world.get("/api/v1/jobs/a").status == 200)
    archive.release()
    #expect(try slow.reply().status == 404)
  }
}

/// A ledger on a disk that does not answer until it is released.
private final class HungArchive: RunArchive {
  private let entered = DispatchSemaphore(value: 0)
  private let released = DispatchSemaphore(value: 0)

  func awaitReader() { entered.wait() }
  func release() { released.signal() }

  func runs(_ query: RunQuery) throws(ArchiveError) -> [StoredRun] { [] }

  func run(_ number: RunID) throws(ArchiveError) -> StoredRun? {
    entered.signal()
    released.wait()
    return nil
  }

  func outputs(of number: RunID) throws(ArchiveError) -> [StoredOutput] { [] }

  func verdicts(_ query: VerdictQuery) throws(ArchiveError) -> [VerdictRecord] { [] }

  func absences(
    from first: WallInstant, to last: WallInstant
  ) throws(ArchiveError) -> [DaemonAbsence] { [] }
}
