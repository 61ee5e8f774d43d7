import Foundation
import TestSupport
import Testing

@testable import TaktSystem

/// Every kind of file against everything that another user can do to it, with facts that nobody has to
/// make on a disk.
struct FileTrustTests {
  @Test(arguments: [
    ("/etc/a-b_1.yaml", "/etc/a-b_1.yaml"), ("/tmp/x;touch $HOME", "'/tmp/x;touch $HOME'"),
    ("/tmp/it's", #"'/tmp/it'\''s'"#), ("/tmp/a b", "'/tmp/a b'"),
  ])
  func `a command that mends takes its file as one word`(path: String, word: String) {
    let problem = Distrust(path: path, row: .jobsFile, reason: .folderOwner(7))
    #expect(problem.hint == "run: chown root \(word)")
  }

  private typealias Kind = FileTrust.Kind

  private static let jobsFileOwner: UInt32 = 1001
  private static let jobUser: UInt32 = 1002
  private static let stranger: UInt32 = 1003
  private static let root = FileParties(
    own: 0, jobsFile: jobsFileOwner, jobUser: jobUser, unmapped: nil)

  /// `/`, `/srv`, `/srv/app` and what is in it, all root's.
  private static func trail(for row: FileTrust) -> FileTrail {
    FileTrail(
      [
        FileFact(path: "/", type: .folder, mode: 0o755),
        FileFact(path: "/srv", type: .folder, mode: 0o755, folder: 0),
        FileFact(path: "/srv/app", type: .folder, mode: 0o755, folder: 1),
        FileFact(
          path: "/srv/app/x", type: row.type, mode: row.type == .folder ? 0o700 : 0o600, folder: 2),
      ], last: 3)
  }

  /// The same with a link `/srv/app/l` that leads to the file in `/srv`.
  private static func linked(for row: FileTrust, owner: UInt32) -> FileTrail {
    var trail = trail(for: row)
    trail.facts[3] = FileFact(path: "/srv/app/l", type: .link, owner: owner, mode: 0o777, folder: 2)
    trail.facts.append(
      FileFact(
        path: "/srv/x", type: row.type, mode: row.type == .folder ? 0o700 : 0o600, folder: 1))
    trail.last = 4
    return trail
  }

  /// The kinds refused as root in a scene; all others are used.
  struct Scene: CustomTestStringConvertible, Sendable {
    var name: String
    var refused: Set<FileTrust.Kind>
    var trail: @Sendable (FileTrust) -> FileTrail

    var testDescription: String { name }

    init(
      _ name: String, refused: Set<FileTrust.Kind>,
      _ change: @escaping @Sendable (inout FileTrail) -> Void
    ) {
      (self.name, self.refused) = (name, refused)
      trail = { row in
        var trail = FileTrustTests.trail(for: row)
        change(&trail)
        return trail
      }
    }

    init(_ name: String, refused: Set<FileTrust.Kind>, linkOf owner: UInt32) {
      (self.name, self.refused) = (name, refused)
      trail = { FileTrustTests.linked(for: $0, owner: owner) }
    }
  }

  /// Kinds of which the way there is judged.
  private static let judgedByWay: Set<FileTrust.Kind> = [
    .jobsFile, .include, .includePattern, .list, .calendar, .environmentFile, .secret,
    .pluginFolder, .manifest, .pluginProgram, .pidFile, .certificate, .clusterToken, .token,
    .stateFolder, .runtimeFolder,
  ]
  private static let folders: Set<FileTrust.Kind> = [
    .includePattern, .pluginFolder, .stateFolder, .runtimeFolder,
  ]
  /// Kinds that anybody may own.
  private static let ofAnyone: Set<FileTrust.Kind> = [
    .jobsFile, .pidFile, .outputFile, .touchedFile, .prunedFolder,
  ]
  /// Kinds that the owner of the jobs file may own.
  private static let ofJobsFile: Set<FileTrust.Kind> = [
    .include, .includePattern, .list, .calendar, .pluginFolder, .manifest, .pluginProgram, .socket,
  ]
  private static let all = Set(FileTrust.Kind.allCases)

  static let scenes: [Scene] = [
    Scene("root's file in root's folders", refused: []) { _ in },
    Scene("a file of the owner of the jobs file", refused: all - ofAnyone - ofJobsFile) {
      $0.facts[3].owner = jobsFileOwner
    },
    Scene("a file of the job's user", refused: all - ofAnyone - [.environmentFile, .secret]) {
      $0.facts[3].owner = jobUser
    },
    Scene("a file of a stranger", refused: all - ofAnyone) { $0.facts[3].owner = stranger },
    Scene(
      "a file that its group can write",
      refused: all - [.outputFile, .touchedFile, .prunedFolder, .socket]
    ) { $0.facts[3].mode |= 0o020 },
    Scene(
      "a file that all can write",
      refused: all - [.outputFile, .touchedFile, .prunedFolder, .socket]
    ) { $0.facts[3].mode |= 0o002 },
    Scene("a file that all can read", refused: [.token, .stateToken]) {
      $0.facts[3].mode |= 0o044
    },
    Scene("a second hard link in root's folder", refused: [.stateFile, .outputFile]) {
      $0.facts[3].linkCount = 2
    },
    Scene(
      "a second hard link in a sticky folder of all",
      refused: (judgedByWay - folders).union([.stateFile, .outputFile])
    ) {
      $0.facts[3].linkCount = 2
      $0.facts[2].mode = 0o1777
    },
    Scene("the folder is a stranger's", refused: judgedByWay) { $0.facts[2].owner = stranger },
    Scene("a folder further up is a stranger's", refused: judgedByWay) {
      $0.facts[1].owner = stranger
    },
    Scene("all can write to the folder", refused: judgedByWay) { $0.facts[2].mode = 0o777 },
    Scene("all can write to a folder further up", refused: judgedByWay) {
      $0.facts[1].mode = 0o777
    },
    Scene("root's group can write to the folder", refused: judgedByWay - folders) {
      $0.facts[2].mode = 0o775
    },
    Scene("root's group can write to a folder further up", refused: []) {
      $0.facts[1].mode = 0o775
    },
    Scene("another group can write to a folder further up", refused: judgedByWay) {
      $0.facts[1].mode = 0o775
      $0.facts[1].group = 50
    },
    Scene("the folder is a sticky one of all", refused: []) { $0.facts[2].mode = 0o1777 },
    Scene("a link of root's", refused: [], linkOf: 0),
    Scene("a link of a stranger's", refused: judgedByWay, linkOf: stranger),
    Scene("a link of the job's user", refused: judgedByWay, linkOf: jobUser),
  ]

  @Test(arguments: scenes) func `as root each kind of file is used or refused`(scene: Scene) {
    for row in FileTrust.all {
      let problem = row.problem(in: scene.trail(row), for: Self.root)
      #expect(
        (problem != nil) == scene.refused.contains(row.kind),
        "\(row.kind.rawValue): \(problem?.advice ?? "used")")
    }
  }

  @Test(arguments: FileTrust.all) func `nothing but its own type is used`(row: FileTrust) {
    for type in FileType.allCases where type != row.type {
      var trail = Self.trail(for: row)
      trail.facts[3].type = type
      #expect(row.problem(in: trail, for: Self.root)?.reason == .wrongType(type))
    }
  }

  @Test(arguments: scenes) func `a user other than root is asked for few files alone`(scene: Scene)
  {
    let user = FileParties(own: Self.stranger, unmapped: nil)
    for row in FileTrust.all where row.scope == .root {
      #expect(row.problem(in: scene.trail(row), for: user) == nil, "\(row.kind.rawValue)")
    }
  }

  @Test func `the state, the token and a runtime folder belong to takt's own user`() {
    let user = FileParties(own: Self.stranger, unmapped: nil)
    for row in FileTrust.all where row.scope == .everybody {
      var trail = Self.trail(for: row)
      trail.facts[3].owner = Self.stranger
      #expect(row.problem(in: trail, for: user) == nil, "\(row.kind.rawValue)")
      trail.facts[3].owner = Self.jobUser
      #expect(row.problem(in: trail, for: user) != nil, "\(row.kind.rawValue)")
    }
  }

  @Test func `a user's file is used in folders of that user and by links of that user`() {
    var trail = Self.linked(for: .jobsFile, owner: Self.jobsFileOwner)
    trail.facts[4].owner = Self.jobsFileOwner
    trail.facts[1].owner = Self.jobsFileOwner
    #expect(FileTrust.jobsFile.problem(in: trail, for: Self.root) == nil)
    // Not root's file there: the user could replace it.
    trail.facts[4].owner = 0
    #expect(FileTrust.jobsFile.problem(in: trail, for: Self.root)?.reason == .link)
  }

  @Test func `a sticky folder is not enough where takt believes whatever appears in it`() {
    for row in [FileTrust.includePattern, .pluginFolder, .stateFolder] {
      var trail = Self.trail(for: row)
      trail.facts[3].mode = 0o1777
      #expect(row.problem(in: trail, for: Self.root)?.reason == .writable(0o1777))
    }
  }

  @Test func `a container's root trusts folders whose owner its namespace does not know`() {
    var trail = Self.trail(for: .jobsFile)
    trail.facts[1].owner = 65_534
    #expect(FileTrust.jobsFile.problem(in: trail, for: Self.root) != nil)
    var parties = Self.root
    parties.unmapped = 65_534
    #expect(FileTrust.jobsFile.problem(in: trail, for: parties) == nil)
  }

  @Test func `each refusal says why and what to do`() {
    let reasons: [(Distrust.Reason, String)] = [
      (.owner(7, "root"), "run `chown root /x`"), (.writable(0o664), "run `chmod go-w /x`"),
      (.readable(0o644), "run `chmod 600 /x`"), (.folderOwner(7), "run `chown root /x`"),
      (.folderWritable(0o777), "run `chmod go-w /x`"), (.link, "name the file itself"),
      (.newOwner(7, before: 0), "run `chown root /x`"),
      (.hardLinks(2), "replace it with a copy of its own"),
      (.otherName, "name the file itself, or replace it with a copy"),
      (.wrongType(.pipe), "name a file"),
    ]
    for (reason, remedy) in reasons {
      let problem = Distrust(path: "/x", row: .list, reason: reason)
      #expect(problem.advice.hasSuffix("; \(remedy)"), "\(problem.advice)")
    }
  }

  @Test func `the docs have the table as it is`() throws {
    let path = Repository.path("docs/security.md")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let start = try #require(text.firstRange(of: "<!-- files: begin -->\n")).upperBound
    let stop = try #require(text.firstRange(of: "<!-- files: end -->\n")).lowerBound
    let table = FileTrust.table.joined(separator: "\n") + "\n"
    if ProcessInfo.processInfo.environment["TAKT_WRITE_REFERENCE"] == "1" {
      try (text[..<start] + table + text[stop...])
        .write(toFile: path, atomically: true, encoding: .utf8)
    } else {
      #expect(
        String(text[start..<stop]) == table,
        "run the tests with TAKT_WRITE_REFERENCE=1 to write it anew")
    }
  }

  @Test func `there is a row for each kind`() {
    #expect(FileTrust.all.map(\.kind) == FileTrust.Kind.allCases)
  }
}

private func - <Element>(left: Set<Element>, right: Set<Element>) -> Set<Element> {
  left.subtracting(right)
}
