import TaktConfig
import TaktCore
import TaktEngine
import TaktImport

/// The result of `takt check` for an imported jobs file, before the file is printed.
struct ImportCheck {
  let snapshot: Snapshot?
  /// The errors that depend on this machine.
  let refusals: [Diagnostic]
  /// The errors on any machine: bugs of the import.
  let bugs: [Diagnostic]
  /// The users and groups of another machine that this one does not have.
  let strangers: [String]

  /// The errors that depend on the machine, not on the text.
  private static let ofMachine: Set<Diagnostic.Code> = [
    .unknownAccount, .notPermitted, .unknownZone, .unreadable, .unsafePermissions,
  ]
  /// Limits of a jobs file, which sources may exceed.
  private static let bounds: Set<Diagnostic.Code> = [.tooLarge, .tooManyNodes]

  /// - Parameter isForeign: true if the sources come from another machine, with users, zones and
  ///   limits other than here.
  init(of result: Importer.Result, isForeign: Bool) {
    var source = JobsFileSource(path: "jobs.yaml", catalogue: BuiltinRegistry.standard)
    var strangers: [String] = []
    if isForeign {
      let here = source.load(text: Array(result.text.utf8), within: nil)
      for diagnostic in here.diagnostics
      where diagnostic.code == .unknownAccount && !strangers.contains(diagnostic.message) {
        strangers.append(diagnostic.message)
      }
      source.accounts = AnyAccounts()
    }
    self.strangers = strangers
    let loaded = source.load(text: Array(result.text.utf8), within: nil)
    let errors = loaded.diagnostics.filter { $0.severity == .error }
    let own = errors.filter { Self.ofMachine.contains($0.code) }
    let others = errors.filter { !Self.ofMachine.contains($0.code) }
    let isTooLarge = others.contains { Self.bounds.contains($0.code) }
    refusals = (isForeign ? [] : own) + (isTooLarge ? others : [])
    bugs = isTooLarge ? [] : others
    if loaded.snapshot == nil, refusals.isEmpty, bugs.isEmpty {
      // For the times, without the files that are not on this machine.
      let text = result.text(without: [.environmentFile, .secrets])
      snapshot = source.load(text: Array(text.utf8), within: nil).snapshot
    } else {
      snapshot = loaded.snapshot
    }
  }

  /// Accepts any name as a user of another machine.
  private struct AnyAccounts: AccountSource {
    func account(for identity: UserAndGroup) -> Account? {
      let own = SystemAccounts().account(for: UserAndGroup())
      return own.map {
        Account(
          name: identity.user ?? $0.name, uid: $0.uid, gid: $0.gid, groups: $0.groups,
          home: $0.home, shell: $0.shell)
      }
    }
  }

  /// The error that this machine would have for jobs of another one; nil if it accepts them.
  var remark: String? {
    strangers.isEmpty
      ? nil
      : "'takt check' refuses the jobs file on this machine: "
        + strangers.joined(separator: ", ")
  }

  var isRight: Bool { refusals.isEmpty && bugs.isEmpty }
}

extension ImportOptions {
  /// The options for this program and this machine.
  static func standard(header: String) -> ImportOptions {
    ImportOptions(
      header: header,
      isZone: { ZoneFiles().zone(named: $0) != nil }, readYAML: ForeignFile.init(file:bytes:))
  }
}
