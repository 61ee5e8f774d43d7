/// Does something when it is destroyed, as what a closure holds may.
final class Parting: Sendable {
  private let words: @Sendable () -> Void

  init(_ words: @escaping @Sendable () -> Void) { self.words = words }

  deinit { words() }

  /// Keeps it alive as long as the closure.
  func keep() {}
}
