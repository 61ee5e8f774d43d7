import Synchronization
import TaktCore
import TaktTransfer
import Dispatch

extension ContainerEngine {
  /// Fetches an image from its registry. Blocks the thread until that is done, or `cancellation`.
  func pull(
    _ image: ImageReference, cancelledBy cancellation: Cancellation
  ) throws(ContainerFailure) {
    let progress = JSONObjectReader()
    let refusal = Mutex<String?>(nil)
    let failure = Mutex<ContainerFailure?>(nil)
    let ended = DispatchSemaphore(value: 0)
    let running = try stream(
      ContainerRequest("POST", ["images", "create"], [("fromImage", image.withTag)]),
      { bytes in
        progress.feed(bytes) { object in
          // The status was 200 before anything was fetched: an error is one of the messages.
          guard let message = EngineMessage(json: object) else { return }
          guard let text = message.error ?? message.errorDetail?.message else { return }
          refusal.withLock { $0 = text }
        }
      },
      onEnd: { result in
        failure.withLock { $0 = result }
        ended.signal()
      })
    cancellation.whileWatched(by: { running.cancel() }) { ended.wait() }
    if let text = refusal.withLock(\.self) {
      throw ContainerFailure(
        .refused(404), "cannot pull \(image): \(text.cut(bytesMax: 1000).printable)")
    }
    if let failure = failure.withLock(\.self) {
      throw ContainerFailure(failure.kind, "cannot pull \(image): \(failure.message)")
    }
    if progress.isBroken {
      throw ContainerFailure(.notAnEngine, "cannot pull \(image): the progress is no JSON")
    }
  }
}
