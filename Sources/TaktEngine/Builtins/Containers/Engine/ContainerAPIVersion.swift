/// A version of the API of an engine, such as 1.41.
struct ContainerAPIVersion: Comparable, Hashable, Sendable, CustomStringConvertible {
  var major: Int
  var minor: Int

  /// Docker 19.03 and Podman 3.
  static let least = Self(major: 1, minor: 40)
  /// What takt is written for.
  static let own = Self(major: 1, minor: 41)

  init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Nil when the text is no version.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ (1...4).contains($0.utf8.count) }),
      let major = Int(parts[0]), let minor = Int(parts[1]), major >= 0, minor >= 0
    else { return nil }
    self.init(major: major, minor: minor)
  }

  var description: String { "\(major).\(minor)" }

  static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  /// The version in which to talk to an engine that has these; nil when it is too old.
  static func agreed(newest: Self, oldest: Self?) -> Self? {
    guard newest >= least else { return nil }
    return min(newest, max(own, oldest ?? own))
  }
}
