import DequeModule
import TaktCore

/// What the last runs have printed, within a bound.
struct RecentOutputs {
  private static let runsMax = 256
  private static let bytesMax = 4 << 20

  private var outputs: Deque<(run: RunID, output: KeptOutput)> = []
  private var bytes = 0

  /// Takes what a run has printed; the oldest goes when there is too much.
  mutating func add(_ output: KeptOutput, of run: RunID) {
    outputs.append((run, output))
    bytes += Self.size(of: output)
    while outputs.count > Self.runsMax || bytes > Self.bytesMax {
      bytes -= Self.size(of: outputs.removeFirst().output)
    }
  }

  /// What a run has printed; nil for one that is not among the last.
  subscript(run: RunID) -> KeptOutput? { outputs.last { $0.run == run }?.output }

  private static func size(of output: KeptOutput) -> Int { output.head.count + output.tail.count }
}
