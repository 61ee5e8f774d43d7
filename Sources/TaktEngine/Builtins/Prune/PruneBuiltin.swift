import Glibc
import TaktCore
import TaktSystem
import TaktTime

/// `use: prune` deletes files by age, count or size under a root.
struct PruneBuiltin: LongBuiltin {
  static let namesMax = 100

  var name: String { "prune" }

  var summary: String {
    "deletes files in a folder by age, count or size; it follows no links and stays on one file system"
  }

  var parameters: [ParameterSchema] {
    [
      ParameterSchema(
        "root", .path, reaches: .path, summary: "the folder; not `/`, and without links in its path"
      ),
      ParameterSchema(
        "pattern", .string, reaches: .file, isRequired: false,
        summary: "the file names to match, such as `*.log`; by default all"),
      ParameterSchema(
        "older_than", .duration(least: .zero), reaches: .nothing, isRequired: false,
        summary: "deletes files last written longer ago than this"),
      ParameterSchema(
        "keep", .integer(0...1_000_000), reaches: .nothing, isRequired: false,
        summary:
          "the number of newest files to keep in any case; without another rule, all others are deleted"
      ),
      ParameterSchema(
        "max_size", .size, reaches: .nothing, isRequired: false,
        summary: "deletes the oldest files until the matching ones take no more than this"),
      ParameterSchema(
        "recursive", .boolean, reaches: .path, default: .boolean(false),
        summary: "whether to include subfolders"
      ),
      ParameterSchema(
        "empty_dirs", .boolean, reaches: .path, default: .boolean(false),
        summary: "whether to delete folders that become empty; needs `recursive`"),
      ParameterSchema(
        "dry_run", .boolean, reaches: .nothing, default: .boolean(false),
        summary: "whether to print only what would be deleted"),
    ]
  }

  var reasons: [BuiltinReason] {
    [
      BuiltinReason("root", "the root is `/`, empty or not a folder, or its path contains a link"),
      BuiltinReason("missing", "the root does not exist"),
      BuiltinReason("permission", "the root cannot be read"),
      BuiltinReason("rules", "`older_than`, `keep` and `max_size` are all missing"),
      BuiltinReason("too_many", "more than 1,000,000 files match"),
      BuiltinReason("errors(N)", "N files or folders could not be read or deleted"),
      BuiltinReason("cancelled", "the attempt was stopped; files deleted before that stay deleted"),
    ]
  }

  /// Rejects a prune without a rule, or of the whole system.
  func problems(in parameters: Parameters) -> [ParameterProblem] {
    var problems: [ParameterProblem] = []
    if Self.rules(parameters).isEmpty {
      problems.append(
        ParameterProblem(nil, "needs at least one of 'older_than', 'keep' and 'max_size'"))
    }
    if let root = parameters["root"]?.string, root.allSatisfy({ $0 == "/" || $0 == "." }) {
      problems.append(ParameterProblem("root", "the root folder of the system cannot be pruned"))
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

  /// Walks, decides, deletes; checks for a stop at every file.
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
          "\(path): '\(link)' is a symbolic link, which prune does not follow; use the folder's real path",
          .warning)
      case .system(let number): call.log("\(path): \(SystemError.text(number))", .warning)
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
