import Synchronization
import TaktCore
import TaktSystem

/// Carries batches to a PostgreSQL database. For the driver's thread only.
struct PostgresCarrier: BatchCarrier {
  private static let retryDelay = Duration.milliseconds(20)
  /// The most retries of a batch after conflicts with other machines.
  private static let conflictsMax = 5

  private enum Installation: Equatable {
    case unneeded
    /// Missing, or of this older version.
    case needed(over: Int?)
    case done
  }

  private enum Exchange {
    case reply(ClaimReply)
    case otherSchema(PostgresProblem.Place, Int)
  }

  private let url: String
  private let cluster: String
  private let patience: Duration
  private let whereabouts: Whereabouts
  private var connection: PostgresConnection?

  init(url: String, cluster: String, patience: Duration, whereabouts: Whereabouts) {
    self.url = url
    self.cluster = cluster
    self.patience = patience
    self.whereabouts = whereabouts
  }

  /// The carrier's current server, for callers that cannot wait for it. Safe from any thread.
  final class Whereabouts: Sendable {
    private let state = Mutex<PostgresProblem.Place?>(nil)

    var place: PostgresProblem.Place? {
      get { state.withLock(\.self) }
      set { state.withLock { $0 = newValue } }
    }
  }

  mutating func carry(_ batch: ClaimBatch, until deadline: ContinuousClock.Instant)
    -> ClaimOutcome
  {
    do throws(PostgresProblem) {
      return .answered(try perform(batch, until: deadline))
    } catch {
      return .failed(number: batch.number, error.failure(patience: patience))
    }
  }

  mutating func close() { connection = nil }

  private mutating func perform(
    _ batch: ClaimBatch, until deadline: ContinuousClock.Instant
  ) throws(PostgresProblem) -> ClaimReply {
    var conflicts = 0
    var installation = Installation.unneeded
    var mayReconnect = connection != nil
    while true {
      do throws(PostgresProblem) {
        if case .needed(let version) = installation, let connection {
          try install(on: connection, over: version, until: deadline)
          installation = .done
        }
        switch try exchange(batch, until: deadline) {
        case .reply(let reply): return reply
        case .otherSchema(let place, let version):
          guard version < PostgresSchema.version, installation == .unneeded else {
            throw .newerSchema(place, version: version)
          }
          installation = .needed(over: version)
        }
      } catch {
        if error.isConflict, conflicts < Self.conflictsMax {
          conflicts += 1
          let pause = Self.retryDelay * conflicts
          guard deadline - .now > pause else { throw error }
          Thread.sleep(pause)
        } else if error.isMissingSchema, installation == .unneeded {
          installation = .needed(over: nil)
        } else {
          if error.endsConnection { connection = nil }
          // A batch is idempotent, and a connection that was idle may have ended long ago.
          guard error.isStale, mayReconnect else { throw error }
          mayReconnect = false
        }
      }
    }
  }

  private mutating func exchange(
    _ batch: ClaimBatch, until deadline: ContinuousClock.Instant
  ) throws(PostgresProblem) -> Exchange {
    if connection?.isUsable == false { connection = nil }
    let connection =
      if let connection { connection } else {
        try PostgresConnection.open(url, until: deadline) { whereabouts.place = $0 }
      }
    self.connection = connection
    let text = BatchText.make(of: batch, wait: deadline - .now)
    let reply = try connection.run(PostgresSchema.statement, [cluster, text], until: deadline)
    guard let reply, let content = ReplyText.read(reply, to: batch) else {
      throw .unreadable(connection.place)
    }
    return switch content {
    case .reply(let reply): .reply(reply)
    case .otherSchema(let version): .otherSchema(connection.place, version)
    }
  }

  /// Installs the schema, or updates an older one; several machines may try at a time.
  private func install(
    on connection: PostgresConnection, over version: Int?, until deadline: ContinuousClock.Instant
  ) throws(PostgresProblem) {
    do throws(PostgresProblem) {
      try connection.run(script: PostgresSchema.installation, until: deadline)
    } catch {
      guard case .statement(let place, let state, let words) = error else { throw error }
      switch state {
      case PostgresSchema.installedState: return
      case "42501": throw .cannotInstall(place, version: version, words)
      default: throw error
      }
    }
  }
}
