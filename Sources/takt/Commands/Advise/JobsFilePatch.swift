import ArgumentParser
import TaktConfig
import TaktCore
import TaktSystem

/// Proposals as a diff of a jobs file.
struct JobsFilePatch {
  private let source: JobsFileSource
  private let text: [UInt8]

  private static let bytesMax = 64 << 20

  /// Reads the file, or ends the program.
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

  func print(_ proposals: [Proposal], _ snapshot: Snapshot) {
    var editor = JobsFileEditor(text)
    var jobs: Set<JobName> = []
    for proposal in proposals {
      guard let change = proposal.change else {
        note(proposal, "there is no change to write")
        continue
      }
      do throws(JobsFileEditor.Refusal) {
        try editor.set(change.path, of: proposal.job.text, to: change.value)
        jobs.insert(proposal.job)
      } catch {
        note(proposal, error.sentence)
      }
    }
    let changed = editor.text
    guard isAsWanted(changed, jobs, snapshot) else {
      Console.error("takt: the file is written in a way that cannot be changed safely; no diff")
      return
    }
    let diff = UnifiedDiff.text(String(decoding: text, as: UTF8.self), changed, file: source.path)
    if !diff.isEmpty { Console.write(Array(diff.utf8)) }
  }

  private func note(_ proposal: Proposal, _ reason: String) {
    let yaml = proposal.change.map { ", \($0.yaml)" } ?? ""
    Console.error("takt: not in the diff: \(proposal.job)\(yaml): \(reason)")
  }

  /// Whether takt takes the changed file, in which these jobs alone differ.
  private func isAsWanted(_ text: String, _ jobs: Set<JobName>, _ old: Snapshot) -> Bool {
    if jobs.isEmpty { return true }
    guard let new = source.load(text: Array(text.utf8), within: nil).snapshot else { return false }
    let before = Dictionary(uniqueKeysWithValues: old.jobs.map { ($0.name, $0) })
    let changed = new.jobs.filter { before[$0.name] != $0 }.map(\.name)
    return new.jobs.count == old.jobs.count && Set(changed).isSubset(of: jobs)
  }
}
