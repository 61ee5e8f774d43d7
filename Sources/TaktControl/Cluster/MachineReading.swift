#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What another machine of the cluster answers, and what is passed on of it: for `boundary-fuzz`.
package enum MachineReading {
  private static let machine = ClusterMachine(
    name: "b", member: 2, host: "b", api: nil, isAlive: true, isThis: false)

  /// A page of jobs, merged; nil for what is none.
  package static func jobs(_ answer: [UInt8]) -> [UInt8]? {
    guard let page = try? JSONDecoder().decode(MachineJobPage.self, from: Data(answer)) else {
      return nil
    }
    var merge = ClusterJobMerge()
    merge.add(page, of: machine)
    var json = JSONWriter()
    json.object { merge.write(to: &$0) }
    return json.bytes
  }

  /// A page of runs, in their order; nil for what is none.
  package static func runs(_ answer: [UInt8]) -> [UInt8]? {
    guard let page = try? JSONDecoder().decode(MachineRunPage.self, from: Data(answer)) else {
      return nil
    }
    let runs = page.runs.map { ClusterRun(machine: machine, run: .other($0)) }
    var json = JSONWriter()
    json.object { json in
      json.key("runs")
      json.array(runs.sorted(by: ClusterRun.isBefore)) { $0.value($1) }
    }
    return json.bytes
  }
}
