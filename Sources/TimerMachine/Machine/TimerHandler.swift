/// One of a machine's handlers: a value with a name.
public struct TimerHandler: Sendable {
  /// What a handler is called with.
  public typealias Call = @Sendable (TimerFire) -> Void

  /// The name of the handler that a machine is made with.
  public static let main = "main"

  /// Names the handler within its machine.
  public let name: String
  /// What is called for each fire.
  public let call: Call

  /// A handler of this name.
  public init(name: String, call: @escaping Call) {
    self.name = name
    self.call = call
  }
}
