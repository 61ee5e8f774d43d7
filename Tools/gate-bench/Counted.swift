/// Runs the work. valgrind counts only the instructions in this function, and finds it by its
/// symbol: it must stay one function that is called.
@_silgen_name("takt_gate_counted")
@inline(never)
@_optimize(none)
func counted(_ workload: inout any Workload) throws {
  try workload.run()
}
