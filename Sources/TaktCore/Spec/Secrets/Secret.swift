/// A value that a child gets and that nobody else sees: it is masked in whatever the child prints.
package struct Secret: Hashable, Sendable {
  /// Where the value is read when an attempt starts.
  package enum Source: Hashable, Sendable {
    /// The file at this absolute path; one line end at its end does not count.
    case file(String)
    /// This variable of takt's own environment.
    case environment(String)
  }

  /// How it reaches the child.
  package enum Delivery: String, CaseIterable, Hashable, Sendable {
    /// The variable holds the value.
    case environment = "env"
    /// The variable holds the path of a file with the value, which exists for this child alone.
    case file
  }

  package var source: Source
  /// How it reaches the child. Default by environment.
  package var delivery: Delivery

  package init(_ source: Source, delivery: Delivery = .environment) {
    self.source = source
    self.delivery = delivery
  }
}

extension Secret {
  /// Where it is read and how it is handed over; never the secret itself.
  var words: String {
    let source =
      switch source {
      case .file(let path): "file \(path)"
      case .environment(let name): "env \(name)"
      }
    return delivery == .environment ? source : "\(source), as \(delivery.rawValue)"
  }
}
