import Testing
import TimerMachineTesting

struct TimerFactoryContractTests {
  @Test(arguments: TimerFactoryKind.allCases, TimerFactoryContract.clauses)
  func `every factory keeps the contract`(
    kind: TimerFactoryKind, clause: TimerFactoryContract.Clause
  ) throws {
    try clause.check(kind.makeBench())
  }

  @Test(arguments: TimerFactoryKind.real, [UInt64(1)])
  func `no sequence of operations traps, sticks or claims late`(
    kind: TimerFactoryKind, seed: UInt64
  ) throws {
    try OperationStorm(seed: seed, operations: 100_000).run(on: kind.makeBench())
  }
}
