/// Where records go.
///
/// Safe from any thread; never blocks and never fails its caller.
public protocol Observer: AnyObject, Sendable {
  /// Takes one record. Records of one machine are handed over in their order.
  func observe(_ record: LogRecord)
}
