/// A value that only a child sees: it is masked in everything the child prints.
package struct Secret: Hashable, Sendable {
  /// The place from which the value is read when an attempt starts.
  package enum Source: Hashable, Sendable {
    /// The file at this absolute path; one line end at its end does not count.
    case file(String)
    /// This variable of takt's own environment.
    case environment(String)
  }

  /// The way in which it reaches the child.
  package enum Delivery: String, CaseIterable, Hashable, Sendable {
    /// The variable holds the value.
    case environment = "env"
    /// The variable holds the path of a file with the value, which exists for this child alone.
    case file
  }

  package var source: Source
  /// Default by environment.
  package var delivery: Delivery

  package init(_ source: Source, delivery: Delivery = .environment) {
    self.source = source
    self.delivery = delivery
  }
}

extension Secret {
  /// Its source and its delivery; never the secret itself.
  var words: String {
    let source =
      switch source {
      case .file(let path): "file \(path)"
      case .environment(let name): "env \(name)"
      }
    return delivery == .environment ? source : "\(source), as \(delivery.rawValue)"
  }
}
