import Glibc
import Synchronization
import TaktCore

/// What a child needs and what may take its time to be had: its user and groups, which the system may
/// ask a server for, and its secrets, which may lie on one.
///
/// Safe from any thread.
final class SpawnPreparation: Sendable {
  /// What has been found.
  struct Findings: Sendable {
    /// What is to be started: a command, whatever it was before.
    var request: AttemptRequest
    /// Who talks with the child; nil for nobody.
    var channel: (any ChildChannel)?
    var identity: ChildIdentity
    var secrets: [ReadSecret]
  }

  private let isOver = Mutex(false)

  /// Whether there is anything to be looked up.
  static func isNeeded(for request: AttemptRequest) -> Bool {
    if case .plugin = request.action { return true }
    let execution = request.spec.execution
    return execution.identity != RunIdentity() || !execution.secrets.isEmpty
  }

  /// Looks all up; it may block for long.
  static func findings(
    for request: AttemptRequest, channel: (any ChildChannel)? = nil, accounts: some AccountSource,
    plugins: PluginCommands? = nil
  ) throws(Spawn.Failure) -> Findings {
    var (request, channel) = (request, channel)
    if case .plugin(let manifest, let parameters) = request.action {
      guard let plugins else { throw Spawn.Failure(stage: .exec, number: ENOSYS) }
      (request, channel) = try plugins.command(for: request, manifest, parameters)
    }
    let execution = request.spec.execution
    let identity = try ChildIdentity(execution.identity, accounts)
    var secrets: [ReadSecret] = []
    for (name, secret) in execution.secrets.sorted(by: { $0.key < $1.key }) {
      let value = try SecretReader.value(
        of: secret, named: name, for: identity.account?.uid)
      secrets.append(ReadSecret(name: name, delivery: secret.delivery, value: value))
    }
    return Findings(request: request, channel: channel, identity: identity, secrets: secrets)
  }

  /// Whoever is told true decides what becomes of the attempt: who has prepared it, or who will wait
  /// for it no longer.
  func finish() -> Bool {
    isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
  }
}
