package import TaktCore

/// Claims in etcd: all machines that share jobs connect to the same etcd cluster.
///
/// All blocking calls are made on one thread of its own; `send` only queues. The rules run here, on
/// the records that were read, and each batch is one transaction that writes their changes, unless
/// another machine was first; then it is repeated. Safe from any thread.
package final class EtcdEngine: ClaimDriver, Sendable {
  private let queue: BatchQueue

  /// - Parameters:
  ///   - name: the cluster's; several share an etcd.
  ///   - deadline: the longest time from `send` to the answer.
  ///   - onOutcome: called on a queue of its own, once for each batch, in their order.
  package convenience init(
    _ access: EtcdAccess, cluster name: String, deadline: Duration,
    onOutcome: @escaping @Sendable (ClaimOutcome) -> Void
  ) {
    let places = access.endpoints.map { EtcdClient.place(of: $0).text }
    self.init(deadline: deadline, places: places, onOutcome: onOutcome) {
      EtcdCarrier(access, cluster: name, patience: deadline)
    }
  }

  /// - Parameter places: the endpoints.
  init(
    deadline: Duration, places: [String] = [],
    onOutcome: @escaping @Sendable (ClaimOutcome) -> Void,
    makeCarrier: @escaping @Sendable () -> EtcdCarrier
  ) {
    queue = BatchQueue(
      patience: deadline,
      lateness: {
        let place = EtcdProblem.Place(text: places.joined(separator: ", "))
        return EtcdProblem.timeout(places.isEmpty ? nil : place).failure(patience: deadline)
      },
      onOutcome: onOutcome, makeCarrier: makeCarrier)
  }

  deinit { queue.close() }

  package func send(_ batch: ClaimBatch) { queue.send(batch) }

  /// Ends the driver and fails unanswered batches. Waits for nothing.
  package func close() { queue.close() }
}
