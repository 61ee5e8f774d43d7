import TaktControl

/// The target of a request. Its normal form is stable, and takt decodes its own encoding.
struct RequestPathTarget: FuzzTarget {
  static let name = "request"
  static let summary = "the path and the query of a request"

  mutating func read(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let normal = RequestTarget.normalized(text) {
      precondition(RequestTarget.normalized(normal) == normal, "'\(normal)' changes again")
    }
    _ = RequestTarget.decoded(text)
    let encoded = RequestTarget.encoded(text)
    precondition(RequestTarget.decoded(encoded) == text, "'\(encoded)' is another text")
    precondition(RequestTarget.normalized(encoded) == encoded, "'\(encoded)' has another form")
  }
}
