package import TaktCore

/// The users of the machine that the sources come from.
package struct ImportAccounts {
  struct User {
    var name: String
    var home: String
  }

  private let machine: (any AccountSource)?
  private let listed: [String: User]
  /// Those of `/etc/group` of another machine; nil where it has none.
  private let groups: Set<Substring>?
  /// Whether nothing is known of its users.
  let isUnknown: Bool

  /// - Parameters:
  ///   - tree: the files, whose `/etc/passwd` counts where they are of another machine.
  ///   - machine: the users of this machine.
  package init(of tree: ImportTree, machine: any AccountSource) {
    var listed: [String: User] = [:]
    var isUnknown = false
    if tree.root.isEmpty {
      self.machine = machine
    } else {
      self.machine = nil
      let text = (try? tree.read("/etc/passwd")).map { String(decoding: $0.bytes, as: UTF8.self) }
      isUnknown = text == nil
      for line in (text ?? "").split(separator: "\n") {
        let fields = line.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count >= 6 else { continue }
        listed[String(fields[0])] = User(name: String(fields[0]), home: String(fields[5]))
      }
    }
    self.listed = listed
    let lines = tree.root.isEmpty ? nil : try? tree.read("/etc/group").bytes
    groups = lines.map { bytes in
      Set(
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
          line.prefix { $0 != ":" }
        })
    }
    self.isUnknown = isUnknown
  }

  /// Nil when there is no such user.
  func user(named name: String) -> User? {
    // No user is called so, and takt takes no such name.
    guard !name.allSatisfy(\.isWhitespace) else { return nil }
    if let machine {
      return machine.account(for: UserAndGroup(user: name)).map {
        User(name: $0.name, home: $0.home)
      }
    }
    if isUnknown { return User(name: name, home: name == "root" ? "/root" : "/home/\(name)") }
    return listed[name]
  }

  func hasGroup(_ name: String) -> Bool {
    guard !name.allSatisfy(\.isWhitespace) else { return false }
    if let machine { return machine.account(for: UserAndGroup(group: name)) != nil }
    return groups?.contains(Substring(name)) ?? true
  }

  /// The user that this process runs as; with the files of another machine, nobody.
  var own: User? {
    machine?.account(for: UserAndGroup()).map { User(name: $0.name, home: $0.home) }
  }
}
