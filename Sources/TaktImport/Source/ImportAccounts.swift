package import TaktCore

package struct ImportAccounts {
  struct User {
    var name: String
    var home: String
    var uid: UInt32?
    var gid: UInt32?
    var shell: String?

    init(name: String, home: String) {
      self.name = name
      self.home = home
    }

    fileprivate init(_ account: Account) {
      self.init(name: account.name, home: account.home)
      uid = account.uid
      gid = account.gid
      shell = account.shell
    }

    /// Parses a line of `/etc/passwd`.
    fileprivate init?(line: Substring) {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count >= 6 else { return nil }
      self.init(name: String(fields[0]), home: String(fields[5]))
      uid = UInt32(fields[2])
      gid = UInt32(fields[3])
      shell = fields.count > 6 && !fields[6].isEmpty ? String(fields[6]) : nil
    }
  }

  private let machine: (any AccountSource)?
  private let tree: ImportTree
  private let listed: [String: User]
  /// From another machine's `/etc/group`; nil if it has none.
  private let groups: Set<Substring>?
  /// True if nothing is known of the machine's users.
  let isUnknown: Bool

  /// - Parameters:
  ///   - tree: the files; their `/etc/passwd` counts if they are another machine's.
  ///   - machine: the users of this machine.
  package init(of tree: ImportTree, machine: any AccountSource) {
    var listed: [String: User] = [:]
    var isUnknown = false
    self.tree = tree
    if tree.root.isEmpty {
      self.machine = machine
    } else {
      self.machine = nil
      let text = (try? tree.read("/etc/passwd")).map { String(decoding: $0.bytes, as: UTF8.self) }
      isUnknown = text == nil
      for user in (text ?? "").split(separator: "\n").compactMap(User.init(line:)) {
        listed[user.name] = user
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

  func user(named name: String) -> User? {
    // takt refuses such a name.
    guard !name.allSatisfy(\.isWhitespace) else { return nil }
    if let machine {
      return machine.account(for: UserAndGroup(user: name)).map(User.init(_:))
    }
    guard !isUnknown || Self.isName(name) else { return nil }
    if isUnknown { return User(name: name, home: name == "root" ? "/root" : "/home/\(name)") }
    return listed[name]
  }

  /// The only user with this home, or with one to which links lead, as the path may come from a
  /// shell's folder; nil if there is none, or several.
  func user(withHome home: String) -> User? {
    if let own, own.home == home { return own }
    let name = home.split(separator: "/").last.map(String.init) ?? ""
    if let user = user(named: home == "/root" ? "root" : name), user.home == home { return user }
    let all = machine == nil ? Array(listed.values) : machineUsers()
    let found = all.filter { $0.home == home }
    guard found.isEmpty else { return found.count == 1 ? found[0] : nil }
    let place = tree.place(of: home)
    if let own, tree.place(of: own.home) == place { return own }
    let linked = all.filter { tree.place(of: $0.home) == place }
    return place != nil && linked.count == 1 ? linked[0] : nil
  }

  private func machineUsers() -> [User] {
    let text = (try? tree.read("/etc/passwd")).map { String(decoding: $0.bytes, as: UTF8.self) }
    return (text ?? "").split(separator: "\n").compactMap(User.init(line:))
  }

  /// From `/etc/group`.
  func groupName(_ number: UInt32) -> String? {
    let text = (try? tree.read("/etc/group")).map { String(decoding: $0.bytes, as: UTF8.self) }
    for line in (text ?? "").split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      if fields.count > 2, UInt32(fields[2]) == number { return String(fields[0]) }
    }
    return nil
  }

  /// True for a possible user name: a template has names such as `$USER`.
  static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, first.isWordByte else { return false }
    return name.utf8.allSatisfy { $0.isNameByte || $0 == UInt8(ascii: "$") && name.hasSuffix("$") }
      && !name.dropLast().contains("$")
  }

  func hasGroup(_ name: String) -> Bool {
    guard !name.allSatisfy(\.isWhitespace) else { return false }
    if let machine { return machine.account(for: UserAndGroup(group: name)) != nil }
    return groups?.contains(Substring(name)) ?? true
  }

  /// The user that this process runs as; nil with the files of another machine.
  var own: User? {
    machine?.account(for: UserAndGroup()).map(User.init(_:))
  }
}
