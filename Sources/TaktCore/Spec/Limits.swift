/// What a child may use at most; nil leaves takt's own limit.
public struct Limits: Hashable, Sendable {
  /// Address space, in bytes.
  public var memoryBytes: Int?
  /// Processor time, in whole seconds.
  public var cpuSeconds: Int?
  /// Open descriptors.
  public var files: Int?
  /// Processes and threads of the child's user.
  public var processes: Int?
  /// A core dump, in bytes; 0 for none.
  public var coreBytes: Int?
  /// The longest file it may write, in bytes.
  public var fileSizeBytes: Int?

  /// No limits but takt's own.
  public init() {}
}
