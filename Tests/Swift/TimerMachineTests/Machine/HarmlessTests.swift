import Dispatch
import Testing

/// The claims of "What does not crash", on the page "What goes wrong without this".
struct HarmlessTests {
  // Other systems let a test start no process.
  #if os(macOS) || os(Linux)
    @Test(arguments: Harmless.allCases)
    func `a bare dispatch source survives it`(harmless: Harmless) async {
      await #expect(processExitsWith: .success) { [harmless] in
        harmless.commitOnBareSource()
        // A source is suspended by another thread, which is where a trap would come from.
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(2))
      }
    }
  #endif
}
