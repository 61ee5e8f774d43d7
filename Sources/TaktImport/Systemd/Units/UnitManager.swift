/// An instance of systemd: the machine's, or a user's.
struct UnitManager {
  /// Nil for the machine's instance.
  var user: ImportAccounts.User?
  var group: String?
  /// Nil if unknown. From 254 on, state of a user's services is in another folder.
  var version: Int?

  static let machine = UnitManager()

  struct Problem: Error {
    var sentence: String
  }

  /// The instance whose units are in a folder.
  init(of folder: String, _ context: ImportContext) throws(Problem) {
    guard let user = try Self.user(of: folder, context) else { return }
    self.user = user
    group = user.gid.flatMap(context.accounts.groupName)
    version = Self.version(in: context)
  }

  private init() {}

  private static let sharedFolders: Set<String> = [
    "/etc/xdg/systemd/user", "/etc/systemd/user", "/run/systemd/user",
    "/usr/local/share/systemd/user", "/usr/share/systemd/user", "/usr/local/lib/systemd/user",
    "/usr/lib/systemd/user", "/lib/systemd/user",
  ]
  private static let ownFolders = ["/.config/systemd/user", "/.local/share/systemd/user"]

  private static func user(
    of folder: String, _ context: ImportContext
  ) throws(Problem) -> ImportAccounts.User? {
    let accounts = context.accounts
    if let name = context.options.user {
      guard let user = accounts.user(named: name) else {
        throw Problem(sentence: "there is no user '\(name)'")
      }
      return user
    }
    if let suffix = ownFolders.first(where: folder.hasSuffix) {
      let home = String(folder.dropLast(suffix.utf8.count))
      guard let user = accounts.user(withHome: home) else {
        throw Problem(
          sentence: "the timer of a user, and '\(home)' is not the home of one; name the user with "
            + "--user")
      }
      return user
    }
    guard sharedFolders.contains(folder) else { return nil }
    guard let own = accounts.own, own.name != "root" else {
      throw Problem(sentence: "a timer of all users; name the one to import it for with --user")
    }
    return own
  }

  /// The number in the name of systemd's library.
  private static func version(in context: ImportContext) -> Int? {
    let prefix = "libsystemd-shared-"
    let machines = context.names(in: "/usr/lib").filter { $0.contains("-linux-") }
    for folder in ["/usr/lib/systemd"] + machines.map({ "/usr/lib/\($0)/systemd" }) {
      for name in context.names(in: folder) where name.hasPrefix(prefix) {
        return Int(name.dropFirst(prefix.utf8.count).prefix { $0.isASCII && $0.isNumber })
      }
    }
    return nil
  }

  /// The search path for units, in order of precedence.
  var folders: [String] {
    guard let user else {
      return [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
        "/usr/lib/systemd/system", "/lib/systemd/system",
      ]
    }
    return [
      user.home + "/.config/systemd/user", "/etc/xdg/systemd/user", "/etc/systemd/user",
      "/run/systemd/user", user.home + "/.local/share/systemd/user",
      "/usr/local/share/systemd/user", "/usr/share/systemd/user", "/usr/local/lib/systemd/user",
      "/usr/lib/systemd/user", "/lib/systemd/user",
    ]
  }

  /// The command that talks to the instance, run by the user or, for the machine's, by root.
  var systemctl: [String] { user == nil ? ["systemctl"] : ["systemctl", "--user"] }

  var runtimeFolder: String? {
    guard let user else { return "/run" }
    return user.uid.map { "/run/user/\($0)" }
  }

  /// The value of a specifier that concerns the instance; nil if only systemd knows it.
  func value(of letter: Character) -> String? {
    guard let user else { return Self.ofMachine[letter] }
    switch letter {
    case "u": return user.name
    case "h": return user.home
    case "U": return user.uid.map(String.init)
    case "G": return user.gid.map(String.init)
    case "g": return group
    case "s": return user.shell
    case "t": return runtimeFolder
    case "C": return user.home + "/.cache"
    case "E": return user.home + "/.config"
    case "S": return stateFolder
    case "L": return stateFolder.map { $0 + "/log" }
    default: return nil
    }
  }

  private var stateFolder: String? {
    guard let user, let version else { return nil }
    return user.home + (version < 254 ? "/.config" : "/.local/state")
  }

  /// `User=` does not affect these.
  private static let ofMachine: [Character: String] = [
    "u": "root", "h": "/root", "U": "0", "G": "0", "g": "root", "t": "/run", "C": "/var/cache",
    "E": "/etc", "S": "/var/lib", "L": "/var/log",
  ]
}
