import TaktControl

/// Jobs and runs in the answer of another machine of the cluster. The part that is passed on is a
/// valid answer too.
struct MachineTarget: FuzzTarget {
  static let name = "machine"
  static let summary = "lists of jobs and runs from another machine of the cluster"

  mutating func read(_ bytes: [UInt8]) {
    if let jobs = MachineReading.jobs(bytes) {
      precondition(MachineReading.jobs(jobs) != nil, "the jobs that are passed on cannot be read")
    }
    if let runs = MachineReading.runs(bytes) {
      precondition(MachineReading.runs(runs) == runs, "the runs that are passed on change again")
    }
  }
}
