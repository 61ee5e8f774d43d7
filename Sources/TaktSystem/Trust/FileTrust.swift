/// One row of the table of files that takt opens: who may own such a file, who may write to it and
/// to the folders on the way, which links may lead there, and its type.
///
/// Every place that opens a file which a user names asks here.
package struct FileTrust: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case jobsFile = "jobs file"
    case include
    case includePattern = "folder of an `include` pattern"
    case list = "list of `for_each`"
    case calendar = "file of a calendar"
    case environmentFile = "`env_file`"
    case secret = "secret in a file"
    case pluginFolder = "`plugins/` folder, folder of a plugin"
    case manifest = "`plugin.yaml`"
    case pluginProgram = "program of a plugin"
    case pidFile = "`pid_file` of `signal`"
    case certificate = "`ca_file`"
    case clusterToken = "token of a cluster in a file"
    case token = "token of the API, secret of the proxy"
    case stateToken = "token in the state folder"
    case stateFolder = "state folder"
    case stateFile = "file in the state folder"
    case outputFile = "`output.file`, `--log-file`"
    case touchedFile = "file of `touch`"
    case prunedFolder = "folder of `prune`"
    case runtimeFolder = "`XDG_RUNTIME_DIR`, folder of `proxy.socket`"
    case socket = "control socket, for a command"
  }

  package enum Owner: String, Hashable, Sendable, CaseIterable {
    case root
    /// The user that takt, or the command, runs as.
    case own = "takt's user"
    case jobsFile = "the owner of the jobs file"
    case jobUser = "the job's user"
    case anyone = "any user"
  }

  /// The users whose processes apply a row.
  package enum Scope: String, Hashable, Sendable {
    case root = "as root"
    case everybody = "always"
  }

  package enum Way: String, Hashable, Sendable {
    /// Each folder belongs to root or to the file's owner, and nobody else can write to it, unless it
    /// is sticky. A link belongs to one of the two.
    case whole = "trusted folders and links"
    /// The same, and the folder itself may not be one in which others can add files: takt uses what
    /// appears there.
    case everyName = "trusted folders and links; its own sticky bit is not enough"
    /// Links that only root can have made are followed, in folders of anybody.
    case links = "links only where root made them"
    /// No link at all is followed, in folders of anybody.
    case noLinks = "no link on the way"
    /// The file is looked up in a folder that has been checked, and is no link.
    case inside = "no link"
  }

  package var kind: Kind
  package var type = FileType.file
  package var scope = Scope.root
  package var owners: Set<Owner>
  package var way = Way.whole
  /// True if nobody but the owner may read it.
  package var isPrivate = false
  /// True if it may have no other name.
  package var isAlone = false
  /// The consequence of a refusal, in words.
  package var otherwise: String

  /// True if a process of this user applies the row.
  package func applies(to user: UInt32) -> Bool { scope == .everybody || user == 0 }
}

extension FileTrust {
  package static let jobsFile = FileTrust(
    kind: .jobsFile, owners: [.anyone], otherwise: refusedLoad)
  package static let include = FileTrust(
    kind: .include, owners: [.root, .jobsFile], otherwise: refusedLoad)
  package static let includePattern = FileTrust(
    kind: .includePattern, type: .folder, owners: [.root, .jobsFile], way: .everyName,
    otherwise: refusedLoad)
  package static let list = FileTrust(
    kind: .list, owners: [.root, .jobsFile], otherwise: refusedLoad)
  package static let calendar = FileTrust(
    kind: .calendar, owners: [.root, .jobsFile], otherwise: refusedLoad)
  package static let environmentFile = FileTrust(
    kind: .environmentFile, owners: [.root, .jobUser], otherwise: refusedLoad)
  package static let secret = FileTrust(
    kind: .secret, owners: [.root, .jobUser],
    otherwise: "the run ends with `not_started(secret, EPERM)`")
  package static let pluginFolder = FileTrust(
    kind: .pluginFolder, type: .folder, owners: [.root, .jobsFile], way: .everyName,
    otherwise: refusedLoad)
  package static let manifest = FileTrust(
    kind: .manifest, owners: [.root, .jobsFile], otherwise: refusedLoad)
  package static let pluginProgram = FileTrust(
    kind: .pluginProgram, owners: [.root, .jobsFile], otherwise: refusedLoad)
  package static let pidFile = FileTrust(
    kind: .pidFile, owners: [.anyone], otherwise: "the run fails with `permission` or `link`")
  package static let certificate = FileTrust(
    kind: .certificate, owners: [.root], otherwise: "the attempt fails with reason `tls`")
  package static let clusterToken = FileTrust(
    kind: .clusterToken, scope: .everybody, owners: [.own, .root],
    otherwise: "the token is not used; the log says why")
  package static let token = FileTrust(
    kind: .token, scope: .everybody, owners: [.own], isPrivate: true, otherwise: closedListener)
  /// The state folder has been judged by a row of its own, and may be in a volume of another user.
  package static let stateToken = FileTrust(
    kind: .stateToken, scope: .everybody, owners: [.own], way: .inside, isPrivate: true,
    otherwise: closedListener)
  package static let stateFolder = FileTrust(
    kind: .stateFolder, type: .folder, scope: .everybody, owners: [.own], way: .everyName,
    otherwise: exit73)
  package static let stateFile = FileTrust(
    kind: .stateFile, scope: .everybody, owners: [.own], way: .inside, isAlone: true,
    otherwise: exit73)
  package static let outputFile = FileTrust(
    kind: .outputFile, owners: [.anyone], way: .links, isAlone: true,
    otherwise: "not written; the log, or takt as it starts, says why")
  package static let touchedFile = FileTrust(
    kind: .touchedFile, owners: [.anyone], way: .links, otherwise: "the run fails with `link`")
  package static let prunedFolder = FileTrust(
    kind: .prunedFolder, type: .folder, owners: [.anyone], way: .noLinks,
    otherwise: "the run fails with `link`")
  package static let runtimeFolder = FileTrust(
    kind: .runtimeFolder, type: .folder, scope: .everybody, owners: [.own], way: .everyName,
    otherwise: "no socket; the log, or the command, says why")
  package static let socket = FileTrust(
    kind: .socket, type: .socket, scope: .everybody, owners: [.own, .root, .jobsFile],
    way: .inside, otherwise: "exit 69")

  private static let refusedLoad = "refused, exit 78; a reload keeps the previous jobs"
  private static let closedListener = "the listener does not open; the log says why"
  private static let exit73 = "exit 73, with an explanation"

  /// All rows, in the order of the kinds.
  package static let all: [FileTrust] = [
    jobsFile, include, includePattern, list, calendar, environmentFile, secret, pluginFolder,
    manifest, pluginProgram, pidFile, certificate, clusterToken, token, stateToken, stateFolder,
    stateFile, outputFile, touchedFile, prunedFolder, runtimeFolder, socket,
  ]
}

extension FileTrust {
  /// The table of docs/security.md, a line each.
  package static var table: [String] {
    [
      "| file | checked | may be owned by | on the way | besides | otherwise |",
      "| --- | --- | --- | --- | --- | --- |",
    ]
      + all.map { row in
        let owners = Owner.allCases.filter(row.owners.contains).map(\.rawValue)
        let cells = [
          row.kind.rawValue, row.scope.rawValue, owners.joined(separator: ", "),
          row.way.rawValue, row.besides.joined(separator: ", "), row.otherwise,
        ]
        return "| \(cells.joined(separator: " | ")) |"
      }
  }

  private var besides: [String] {
    var words = [type == .file ? "a regular file" : type.words]
    if isPrivate {
      words.append("closed to other users")
    } else if way != .links, way != .noLinks, type != .socket {
      words.append("not writable by others")
    }
    if isAlone { words.append("no second name") }
    return words
  }
}
