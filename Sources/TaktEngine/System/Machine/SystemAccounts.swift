import Glibc
package import TaktCore

/// The users and groups of this machine, from any source of its name service.
package struct SystemAccounts: AccountSource {
  private static let bufferBytesMax = 1 << 20

  package init() {}

  /// Looks up a name, and if there is none, a number. A number without an entry is a user, too,
  /// with the group 65534 unless the identity names one.
  package func account(for identity: UserAndGroup) -> Account? {
    let known = identity.user.map(user(_:)) ?? user(number: geteuid())
    guard var account = known ?? identity.user.flatMap(Self.number).map(Self.unlisted) else {
      return nil
    }
    if let group = identity.group {
      guard let number = self.group(group) else { return nil }
      account.gid = number
    }
    if known == nil {
      account.groups = [account.gid]
    } else {
      guard let groups = groups(of: account.name, primary: account.gid) else { return nil }
      account.groups = groups
    }
    return account
  }

  /// The number in a text. The greatest one tells the system to change nothing, so it does not
  /// count.
  private static func number(_ text: String) -> UInt32? {
    guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
      let number = UInt32(text), number != .max
    else { return nil }
    return number
  }

  /// A user without an entry. Its group has no rights by itself, whichever groups there are.
  private static func unlisted(_ number: UInt32) -> Account {
    Account(
      name: "\(number)", uid: number, gid: 65_534, groups: [], home: "/", shell: "/bin/sh")
  }

  private func user(_ text: String) -> Account? {
    if let account = record(
      { entry, buffer, count, result in getpwnam_r(text, entry, buffer, count, result) },
      read: Self.account)
    {
      return account
    }
    return Self.number(text).flatMap(user(number:))
  }

  private func user(number: uid_t) -> Account? {
    record(
      { entry, buffer, count, result in getpwuid_r(number, entry, buffer, count, result) },
      read: Self.account)
  }

  private func group(_ text: String) -> gid_t? {
    let number: gid_t? = record(
      { entry, buffer, count, result in getgrnam_r(text, entry, buffer, count, result) },
      read: { (entry: group) in entry.gr_gid })
    return number ?? Self.number(text)
  }

  private static func account(_ entry: passwd) -> Account {
    Account(
      name: String(cString: entry.pw_name), uid: entry.pw_uid, gid: entry.pw_gid, groups: [],
      home: String(cString: entry.pw_dir), shell: String(cString: entry.pw_shell))
  }

  /// Calls one of the look-ups with a growing buffer until the answer fits.
  private func record<Entry, Value>(
    _ lookUp: (
      UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int,
      UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
    ) -> Int32,
    read: (Entry) -> Value
  ) -> Value? {
    var size = 4096
    while size <= Self.bufferBytesMax {
      // The entry points into the buffer, and is read before either is freed.
      let answer = withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer in
        withUnsafeTemporaryAllocation(of: Entry.self, capacity: 1) { entry -> (Int32, Value?) in
          guard let base = buffer.baseAddress, let place = entry.baseAddress else {
            return (ENOMEM, nil)
          }
          var found: UnsafeMutablePointer<Entry>?
          let number = lookUp(place, base, size, &found)
          return (number, found.map { read($0.pointee) })
        }
      }
      if answer.0 != ERANGE { return answer.1 }
      size *= 4
    }
    return nil
  }

  /// In ascending order, each once, including the primary one.
  private func groups(of name: String, primary: gid_t) -> [gid_t]? {
    var capacity = Int32(64)
    while capacity <= 65_536 {
      var count = capacity
      var groups = [gid_t](repeating: 0, count: Int(capacity))
      if getgrouplist(name, primary, &groups, &count) >= 0 {
        return Set(groups.prefix(Int(count))).sorted()
      }
      capacity = max(count, capacity * 4)
    }
    return nil
  }
}
