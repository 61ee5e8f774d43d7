import Glibc

// Does one workload, for valgrind to count: `gate-bench NAME`. `gate-bench --list` prints all, with
// the threads that count: one or all.

/// In the order of the table.
let workloads: [any Workload.Type] = [
  LoadWorkload.self, ReloadWorkload.self, PlanWorkload.self, SlotsWorkload.self,
  CronWorkload.self, WakesWorkload.self, LogWorkload.self, LedgerWorkload.self,
  VerifyWorkload.self, StatusWorkload.self, RunWorkload.self,
]

/// Prints a message, and ends.
func fail(_ message: String, _ code: Int32) -> Never {
  _ = (message + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
  exit(code)
}

let arguments = CommandLine.arguments.dropFirst()
if arguments == ["--list"] {
  for workload in workloads {
    print(workload.name, workload.threads.rawValue, workload.summary, separator: "\t")
  }
  exit(0)
}
guard arguments.count == 1, let type = workloads.first(where: { $0.name == arguments.first }) else {
  fail("usage: gate-bench --list | gate-bench NAME", 64)
}
do {
  var workload: any Workload = try type.init()
  try counted(&workload)
  try workload.check()
} catch {
  fail("gate-bench: \(type.name): \(error)", 1)
}
