import Glibc
import TaktCore
import TaktTime

/// `use: prune` deletes files by age, count or size under a root.
struct PruneBuiltin: LongBuiltin {
  /// So many names of deleted files are logged.
  static let namesMax = 100

  var name: String { "prune" }

  var summary: String {
    "deletes files under a folder by age, count or size; it follows no links and stays on the root's file system"
  }

  var parameters: [ParameterSchema] {
    [
      ParameterSchema(
        "root", .path, summary: "the folder; not `/`, and no part of the path a link"),
      ParameterSchema(
        "pattern", .string, isRequired: false,
        summary: "the names that count, such as `*.log`; all when left out"),
      ParameterSchema(
        "older_than", .duration(least: .zero), isRequired: false,
        summary: "files last written longer ago go"),
      ParameterSchema(
        "keep", .integer(0...1_000_000), isRequired: false,
        summary:
          "so many of the newest stay, whatever else is said; alone, all others go"),
      ParameterSchema(
        "max_size", .size, isRequired: false,
        summary: "the oldest go until what matches takes no more than this"),
      ParameterSchema(
        "recursive", .boolean, default: .boolean(false), summary: "whether folders within count too"
      ),
      ParameterSchema(
        "empty_dirs", .boolean, default: .boolean(false),
        summary: "whether folders that are empty afterwards go too; needs `recursive`"),
      ParameterSchema(
        "dry_run", .boolean, default: .boolean(false), summary: "only says what would go"),
    ]
  }

  var reasons: [BuiltinReason] {
    [
      BuiltinReason("root", "the root is `/`, empty or no folder, or a link is on the way to it"),
      BuiltinReason("missing", "the root is not there"),
      BuiltinReason("permission", "the root cannot be read"),
      BuiltinReason("rules", "none of `older_than`, `keep` and `max_size` is given"),
      BuiltinReason("too_many", "more than 1,000,000 files match"),
      BuiltinReason("errors(N)", "N files or folders could not be read or deleted"),
      BuiltinReason("cancelled", "it was stopped; what was deleted before is gone"),
    ]
  }

  /// A prune without a rule, or of everything.
  func problems(in parameters: Parameters) -> [ParameterProblem] {
    var problems: [ParameterProblem] = []
    if Self.rules(parameters).isEmpty {
      problems.append(
        ParameterProblem(nil, "needs at least one of 'older_than', 'keep' and 'max_size'"))
    }
    if let root = parameters["root"]?.string, root.allSatisfy({ $0 == "/" || $0 == "." }) {
      problems.append(ParameterProblem("root", "the root of the whole system is never pruned"))
    }
    if parameters["empty_dirs"]?.boolean == true, parameters["recursive"]?.boolean != true {
      problems.append(ParameterProblem("empty_dirs", "has no effect without 'recursive'"))
    }
    return problems
  }

  func traits(with parameters: Parameters) -> ActionTraits { .usesOwnRights }

  static func rules(_ parameters: Parameters) -> PruneRules {
    PruneRules(
      olderThan: parameters["older_than"]?.duration, keep: parameters["keep"]?.integer,
      sizeBytesMax: parameters["max_size"]?.integer)
  }

  /// Walks, decides, deletes; looks for a stop at every file.
  func run(_ call: BuiltinCall) -> BuiltinEnd {
    let rules = Self.rules(call.parameters)
    guard !rules.isEmpty else { return .failed("rules") }
    let root: PruneFolder
    do throws(FolderPath.Failure) {
      root = try Self.root(call.text("root") ?? "")
    } catch {
      let path = call.text("root") ?? ""
      switch error {
      case .link(let link):
        call.log(
          "\(path): '\(link)' is a symbolic link, and none is followed. Name the folder itself",
          .warning)
      case .system(let number): call.log("\(path): \(String(cString: strerror(number)))", .warning)
      }
      switch error.number {
      case ENOENT: return .failed("missing")
      case EACCES, EPERM: return .failed("permission")
      default: return .failed("root")
      }
    }
    do throws(PruneWalk.Stop) {
      let walk = try PruneWalk(
        root, pattern: call.text("pattern"), recursive: call.flag("recursive"),
        cancellation: call.cancellation)
      var work = PruneWork(
        call, walk, root, cut: rules.olderThan.map { call.time.wall - $0 })
      return work.run(rules.condemned(walk.files, at: call.time.wall))
    } catch {
      return .failed(error == .cancelled ? LongAttempt.cancelled : "too_many")
    }
  }

  private static func root(_ path: String) throws(FolderPath.Failure) -> PruneFolder {
    let root = try PruneFolder(root: path)
    let top = try PruneFolder(root: "/")
    if root.isSame(as: top) { throw .system(EINVAL) }
    return root
  }
}
