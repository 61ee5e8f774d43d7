import Glibc

/// The users that the rows of `FileTrust` refer to.
package struct FileParties: Hashable, Sendable {
  package var own: UInt32
  /// The owner of the main jobs file; nil where there is none.
  package var jobsFile: UInt32?
  /// The user that a job runs as; nil for takt's own.
  package var jobUser: UInt32?
  /// Users besides root and the file's owner who may own folders on the way.
  package var above: Set<UInt32> = []
  /// The id that this user namespace shows for users that it does not know, such as the machine's
  /// root; nil in the namespace that knows all users.
  package var unmapped: UInt32?

  package init(
    own: UInt32, jobsFile: UInt32? = nil, jobUser: UInt32? = nil, above: Set<UInt32> = [],
    unmapped: UInt32? = Self.unmappedUser
  ) {
    self.own = own
    self.jobsFile = jobsFile
    self.jobUser = jobUser
    self.above = above
    self.unmapped = unmapped
  }

  func include(_ user: UInt32, in owners: Set<FileTrust.Owner>) -> Bool {
    owners.contains { owner in
      switch owner {
      case .anyone: true
      case .root: user == 0
      case .own: user == own
      case .jobsFile: user == jobsFile
      case .jobUser: user == jobUser
      }
    }
  }

  package static let unmappedUser: UInt32? = {
    guard let map = read("/proc/self/uid_map"), let overflow = read("/proc/sys/kernel/overflowuid")
    else { return nil }
    let numbers = map.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) }
    return numbers == [0, 0, 4_294_967_295]
      ? nil : UInt32(overflow.filter { !$0.isWhitespace })
  }()

  private static func read(_ path: String) -> String? {
    (try? SmallFile.read(path, bytesMax: 4096)).map { String(decoding: $0, as: UTF8.self) }
  }
}
