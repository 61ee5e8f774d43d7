package import TaktCore

/// Claims in etcd: all machines that share jobs connect to the same etcd cluster.
///
/// One thread of its own does all that may block; `send` only queues. The rules run here, on the
/// records that were read, and each batch is one transaction that writes what they changed, unless
/// another machine was first; then it is done again. Safe from any thread.
package final class EtcdEngine: ClaimDriver, Sendable {
  private let queue: BatchQueue

  /// - Parameters:
  ///   - name: the cluster's; several share an etcd.
  ///   - deadline: how long after `send` a batch is answered at the latest.
  ///   - onOutcome: is called on a queue of its own, once for each batch, in their order.
  package convenience init(
    _ access: EtcdAccess, cluster name: String, deadline: Duration,
    onOutcome: @escaping @Sendable (ClaimOutcome) -> Void
  ) {
    let places = access.endpoints.map { EtcdClient.place(of: $0).text }
    self.init(deadline: deadline, places: places, onOutcome: onOutcome) {
      EtcdCarrier(access, cluster: name, patience: deadline)
    }
  }

  /// - Parameter places: where the carrier connects to.
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

  /// Ends the driver; what is not answered fails. Waits for nothing.
  package func close() { queue.close() }
}
