import DequeModule
import TaktCore

/// What the last attempts have printed, within a bound.
struct RecentOutputs {
  private static let countMax = 256
  private static let bytesMax = 4 << 20

  private var outputs: Deque<(run: RunID, output: StoredOutput)> = []
  private var bytes = 0

  /// Takes what an attempt has printed; the oldest goes when there is too much.
  mutating func add(_ output: StoredOutput, of run: RunID) {
    guard !output.output.isEmpty else { return }
    outputs.append((run, output))
    bytes += Self.size(of: output)
    while outputs.count > Self.countMax || bytes > Self.bytesMax {
      bytes -= Self.size(of: outputs.removeFirst().output)
    }
  }

  /// What the attempts of a run have printed, as far as they are among the last.
  subscript(run: RunID) -> [StoredOutput] {
    outputs.filter { $0.run == run }.map(\.output)
  }

  private static func size(of output: StoredOutput) -> Int {
    output.output.head.count + output.output.tail.count
  }
}
