import ArgumentParser
import TaktConfig
import TaktCore
import TaktSystem

/// Proposals as a diff of a jobs file.
struct JobsFilePatch {
  private let source: JobsFileSource
  private let text: [UInt8]

  private static let bytesMax = 64 << 20

  init(_ source: JobsFileSource) throws {
    self.source = source
    do throws(SystemError) {
      text = try SmallFile.read(source.path, bytesMax: Self.bytesMax)
    } catch {
      Console.error(
        "takt: \(source.path.printable) cannot be read: \(SystemError.text(error.number))")
      throw ExitCode.configuration
    }
  }

  /// The file's text with those proposals that it can have.
  struct Edited {
    fileprivate var editor: JobsFileEditor
    fileprivate var jobs: Set<JobName> = []
    /// Those that it cannot have, each with the reason.
    var leftOut: [(proposal: Proposal, reason: String)] = []

    var text: String { editor.text }

    fileprivate mutating func set(_ proposal: Proposal) {
      guard let change = proposal.change else {
        leftOut.append((proposal, "there is no change to write"))
        return
      }
      do throws(JobsFileEditor.Refusal) {
        var changed = editor
        try changed.set(
          change.path, of: proposal.job.text, to: change.value,
          beside: change.others.map { ($0.key, $0.value) })
        editor = changed
        jobs.insert(proposal.job)
      } catch {
        leftOut.append((proposal, error.sentence))
      }
    }
  }

  func print(_ proposals: [Proposal], _ snapshot: Snapshot) {
    let result = result(of: proposals, snapshot)
    for (proposal, reason) in result.leftOut {
      let yaml = proposal.change.map { ", \($0.yaml)" } ?? ""
      Console.error("takt: not in the diff: \(proposal.job)\(yaml): \(reason)")
    }
    let before = String(decoding: text, as: UTF8.self)
    let diff = UnifiedDiff.text(before, result.text, file: source.path)
    if !diff.isEmpty { Console.write(Array(diff.utf8)) }
  }

  func result(of proposals: [Proposal], _ snapshot: Snapshot) -> Edited {
    var result = Edited(editor: JobsFileEditor(text))
    let old = Dictionary(uniqueKeysWithValues: snapshot.jobs.map { ($0.name, $0) })
    add(proposals[...], to: &result, old)
    return result
  }

  /// Adds all of them; where takt refuses the file then, each half by itself, so that few loads find
  /// the one that it refuses.
  private func add(
    _ proposals: ArraySlice<Proposal>, to result: inout Edited, _ old: [JobName: JobSpec]
  ) {
    var tried = result
    for proposal in proposals { tried.set(proposal) }
    guard let reason = refusal(of: tried, old) else {
      result = tried
      return
    }
    if proposals.count == 1, let proposal = proposals.first {
      result.leftOut.append((proposal, reason))
      return
    }
    let middle = proposals.startIndex + proposals.count / 2
    add(proposals[..<middle], to: &result, old)
    add(proposals[middle...], to: &result, old)
  }

  /// The reason why the changed file cannot be used: takt refuses it, or it changes other jobs as well.
  private func refusal(of result: Edited, _ old: [JobName: JobSpec]) -> String? {
    if result.jobs.isEmpty { return nil }
    let loaded = source.load(text: Array(result.text.utf8), within: nil)
    guard let new = loaded.snapshot else {
      let error = loaded.diagnostics.first { $0.severity == .error }
      return "takt would refuse the file: \((error?.message ?? "it cannot be loaded").printable)"
    }
    let changed = new.jobs.filter { old[$0.name] != $0 }.map(\.name)
    return new.jobs.count == old.count && Set(changed).isSubset(of: result.jobs)
      ? nil : "other jobs would change as well; change it by hand"
  }
}
