struct ContainerAPIVersion: Comparable, Hashable, Sendable, CustomStringConvertible {
  var major: Int
  var minor: Int

  /// Docker 19.03 and Podman 3.
  static let least = Self(major: 1, minor: 40)
  /// The version that takt is written for.
  static let own = Self(major: 1, minor: 41)

  init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

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

  /// The version to use with an engine that has these; nil if it is too old.
  static func agreed(newest: Self, oldest: Self?) -> Self? {
    guard newest >= least else { return nil }
    return min(newest, max(own, oldest ?? own))
  }
}
