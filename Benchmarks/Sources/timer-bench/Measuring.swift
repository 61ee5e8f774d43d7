import Dispatch
import TaktTime
import TimerMachine

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How long one of `count` rounds of `body` took.
func nanoseconds(per count: Int, _ body: () -> Void) -> Double {
  let time = SystemTimeSource()
  let start = time.monotonic
  body()
  return Double((time.monotonic - start).nanosecondsSaturated) / Double(count)
}

/// Lets Dispatch digest what it was given, so that the next measurement does not pay for it.
func settle() { usleep(300_000) }

/// Levels of a binary tree of so many.
func log2(of count: Int) -> Double { log2(Double(count)) }

/// A number with so many decimals.
func text(_ number: Double, _ decimals: Int) -> String {
  let scale = pow(10, Double(decimals))
  let rounded = (number * scale).rounded() / scale
  return decimals == 0 ? "\(Int(rounded))" : "\(rounded)"
}
