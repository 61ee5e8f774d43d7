import Hummingbird
import NIOCore
import TaktAPI
import TaktCore

/// Encodes outputs as a line of JSON for each piece: its attempt, time and stream. A character that
/// is cut between two pieces of a stream is in the later one.
struct OutputRecords: Sendable {
  private var rests: [Source: [UInt8]] = [:]

  private struct Source: Hashable {
    var attempt: Int
    var stream: OutputMark.Stream
  }

  /// Lines for stored output.
  ///
  /// - Parameter attempt: the one that printed it; nil to use its marks.
  mutating func lines(of kept: KeptOutput, attempt: Int?) -> [UInt8] {
    var lines: [UInt8] = []
    for piece in kept.pieces {
      if piece.droppedBefore > 0 {
        rests = [:]
        lines += Self.gap(piece.droppedBefore, attempt: attempt ?? piece.mark?.attempt)
      }
      lines += self.lines(of: piece.bytes, piece.mark, attempt: attempt)
    }
    if kept.head.isEmpty, kept.tail.isEmpty, kept.droppedBytes > 0 {
      lines += Self.gap(kept.droppedBytes, attempt: attempt)
    }
    return lines
  }

  /// Lines for new bytes.
  mutating func lines(
    of bytes: some Collection<UInt8>, _ mark: OutputMark?, attempt: Int? = nil
  ) -> [UInt8] {
    let source = Source(
      attempt: attempt ?? mark?.attempt ?? 0, stream: mark?.stream ?? .other)
    let all = (rests.removeValue(forKey: source) ?? []) + bytes
    let cut = all.cutCharacterBytes
    if cut > 0 { rests[source] = Array(all.suffix(cut)) }
    guard all.count > cut else { return [] }
    var record = API.OutputRecord()
    record.attempt = source.attempt > 0 ? source.attempt : nil
    record.stream = source.stream.name
    record.at = mark?.at
    record.text = String(decoding: all.dropLast(cut), as: UTF8.self)
    return record.json + [10]
  }

  static func gap(_ count: Int, attempt: Int? = nil) -> [UInt8] {
    var record = API.OutputRecord()
    record.attempt = attempt.flatMap { $0 > 0 ? $0 : nil }
    record.dropped = count
    return record.json + [10]
  }
}

extension Response {
  /// The stored output of a run's attempts, piece by piece.
  static func records(_ outputs: [StoredOutput]) -> Response {
    var records = OutputRecords()
    let bytes = outputs.flatMap { records.lines(of: $0.output, attempt: $0.attempt) }
    return .records(ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  static func records(_ body: ResponseBody) -> Response {
    Response(status: .ok, headers: [.contentType: "application/x-ndjson"], body: body)
  }
}
