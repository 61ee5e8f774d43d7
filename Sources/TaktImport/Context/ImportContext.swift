import TaktCore

final class ImportContext {
  let options: ImportOptions
  let tree: ImportTree
  let accounts: ImportAccounts
  let report: ImportReport
  let dialect: CronDialect
  private(set) var jobs: [JobDraft] = []
  private(set) var groups: [DraftEntry] = []
  /// All sources that were read, for the check at the end.
  private(set) var sources: [(text: SourceLines, kind: SourceKind)] = []
  private var names = JobNames()
  private var isFull = false
  private var cutFolders: Set<String> = []
  /// The names that the user gave for paths; paths below keep that form.
  private var typed: [(path: String, name: String)] = []
  private(set) lazy var loginVariables = LoginVariables(of: tree, dialect: dialect).variables
  /// True if the anacrontab became jobs; then the commands that start anacron are dropped.
  var hasAnacronJobs = false

  static let jobsMax = 10_000

  init(_ options: ImportOptions, tree: ImportTree, accounts: ImportAccounts) {
    self.options = options
    self.tree = tree
    self.accounts = accounts
    report = ImportReport()
    dialect =
      options.dialect
      ?? (tree.kind(of: "/etc/redhat-release") != .none
        || tree.kind(of: "/etc/arch-release") != .none ? .cronie : .debian)
  }

  func name(_ path: String, as name: String) { typed.append((path, name)) }

  /// A path of the tree in the form for messages.
  func shown(_ path: String) -> String {
    for (prefix, name) in typed {
      if path == prefix { return name }
      if path.hasPrefix(prefix + "/") { return name + path.dropFirst(prefix.utf8.count) }
    }
    return tree.root + path
  }

  /// Reports a folder with too many names.
  func names(in folder: String) -> [String] {
    let (names, isCut) = tree.names(in: folder)
    if isCut, cutFolders.insert(folder).inserted {
      report.cannotRead(
        shown(folder), "more than \(ImportTree.namesMax) names; the others were not looked at")
    }
    return names
  }

  /// Reports a path that is neither a file nor a folder.
  func isFile(_ path: String) -> Bool {
    let kind = tree.kind(of: path)
    if kind != .file, kind != .folder {
      report.note(
        "this is no regular file, and so it is not read", at: SourceLocation(file: shown(path)))
    }
    return kind == .file
  }

  /// Keeps the text for the check at the end, and reports a file that cannot be read.
  func text(of path: String, _ kind: SourceKind) -> (text: SourceLines, owner: UInt32)? {
    do throws(ImportTree.Problem) {
      let contents = try tree.read(path)
      return (add(SourceLines(file: shown(path), bytes: contents.bytes), kind), contents.owner)
    } catch {
      report.cannotRead(shown(path), error.sentence)
      return nil
    }
  }

  func add(_ text: SourceLines, _ kind: SourceKind) -> SourceLines {
    if !sources.contains(where: { $0.text.file == text.file }) { sources.append((text, kind)) }
    return text
  }

  /// Sets a kind that was recognized later.
  func setKind(_ kind: SourceKind, of text: SourceLines) {
    guard let index = sources.firstIndex(where: { $0.text.file == text.file }) else { return }
    sources[index].kind = kind
  }

  /// Treats a text as not read.
  func drop(_ text: SourceLines) { sources.removeAll { $0.text.file == text.file } }

  func newName(like text: String) -> String { names.name(like: text) }

  func add(_ job: JobDraft) {
    guard jobs.count < Self.jobsMax else {
      if !isFull {
        isFull = true
        report.cannotRead(
          job.comments.first ?? job.name,
          "there are more than \(Self.jobsMax) jobs; import fewer files at once")
      }
      return
    }
    jobs.append(job)
  }

  /// Changes a job that was added before.
  func edit(_ name: String, _ change: (inout JobDraft) -> Void) {
    guard let index = jobs.firstIndex(where: { $0.name == name }) else { return }
    change(&jobs[index])
  }

  /// Changes all jobs, after the last was added.
  func changeJobs(_ change: (inout JobDraft) -> Void) {
    for index in jobs.indices { change(&jobs[index]) }
  }

  func addGroup(_ name: String, max: Int) {
    guard !groups.contains(where: { $0.key == name }) else { return }
    groups.append(DraftEntry(key: name, value: .word("\(max)")))
  }
}
