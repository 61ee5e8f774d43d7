package struct SHA256Digest: Sendable {
  package static let count = 32

  package let bytes: [UInt8]

  /// Two lower-case digits for each byte.
  package var hexadecimal: String { Self.digits(of: bytes[...]) }

  package func hexadecimal(first count: Int) -> String { Self.digits(of: bytes.prefix(count)) }

  private static func digits(of bytes: ArraySlice<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

extension SHA256Digest: Equatable {
  /// Takes as long for any two digests, so that the time does not tell where they differ.
  package static func == (a: SHA256Digest, b: SHA256Digest) -> Bool {
    zip(a.bytes, b.bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
