import TaktAPI

/// Processes the answers of other machines, for `boundary-fuzz`.
package enum MachineReading {
  private static let machine = ClusterMachine(
    name: "b", member: 2, host: "b", api: nil, isAlive: true, isThis: false)

  /// A page of jobs, merged; nil for anything else.
  package static func jobs(_ answer: [UInt8]) -> [UInt8]? {
    guard let page = MachineAnswer(answer, of: machine)?.jobs else { return nil }
    var merge = ClusterJobMerge()
    merge.add(page.jobs, after: page.after, of: machine)
    return merge.page.json
  }

  /// A page of runs, in order; nil for anything else.
  package static func runs(_ answer: [UInt8]) -> [UInt8]? {
    guard let runs = MachineAnswer(answer, of: machine)?.runs else { return nil }
    var page = API.ClusterRuns()
    page.runs = runs.sorted(by: API.ClusterRun.isBefore)
    return page.json
  }
}
