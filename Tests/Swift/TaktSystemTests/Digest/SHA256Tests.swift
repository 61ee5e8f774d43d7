import Testing

@testable import TaktSystem

/// SHA-256 beside the examples of NIST (FIPS 180-4 and its validation system).
@Suite struct SHA256Tests {
  /// A message as hexadecimal digits, or as text in quotes, and its digest.
  private static let vectors = [
    "'' | e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "'abc' | ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq' "
      + "| 248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    "'abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
      + "lmnopqrsmnopqrstnopqrstu' "
      + "| cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
    "bd | 68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b",
    "c98c8e55 | 7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504",
    "d3 | 28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1",
    "11af | 5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98",
    "b4190e | dff2e73091f6c05e528896c4c831b9448653dc2ff043528f6769437bc7b975c2",
    "74ba2521 | b16aa56be3880d18cd41e68384cf1ec8c17680c45a02b1575dc1518923ae8b0e",
  ]

  @Test(arguments: vectors) func `a message has the digest that NIST gives`(row: String) {
    let (message, digest) = Self.read(row)
    #expect(SHA256.hash(message).hexadecimal == digest)
  }

  @Test(arguments: vectors) func `a message in pieces has the same digest`(row: String) {
    let (message, digest) = Self.read(row)
    for size in 1...max(1, message.count) {
      #expect(Self.hash(message, piece: size).hexadecimal == digest, "pieces of \(size)")
    }
  }

  /// Bytes that are all zero, as many as stand before the digest.
  @Test(arguments: [
    "55 | 02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7",
    "56 | d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb",
    "57 | 65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785",
    "64 | f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b",
    "1000 | 541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53",
  ]) func `messages that end at the bounds of a block have the digests that NIST gives`(
    row: String
  ) throws {
    let (count, digest) = Self.split(row)
    let message = [UInt8](repeating: 0, count: try #require(Int(count)))
    #expect(SHA256.hash(message).hexadecimal == digest)
    for piece in [1, 3, 55, 56, 63, 64, 65, 128] {
      #expect(Self.hash(message, piece: piece).hexadecimal == digest, "pieces of \(piece)")
    }
  }

  @Test func `a million letters have the digest that NIST gives`() {
    let digest = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    let message = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    #expect(SHA256.hash(message).hexadecimal == digest)
    #expect(Self.hash(message, piece: 65_537).hexadecimal == digest)
    // Without contiguous storage.
    #expect(SHA256.hash(message.lazy.map { $0 }).hexadecimal == digest)
  }

  @Test func `a copy goes its own way`() {
    var first = SHA256()
    first.update(Array("ab".utf8))
    let second = first
    first.update(Array("c".utf8))
    #expect(first.finalize() == SHA256.hash(Array("abc".utf8)))
    #expect(second.finalize() == SHA256.hash(Array("ab".utf8)))
  }

  @Test func `digests that differ in any one bit are not equal`() {
    let digest = SHA256.hash([])
    for bit in 0..<256 {
      var bytes = digest.bytes
      bytes[bit / 8] ^= 1 << (bit % 8)
      #expect(SHA256Digest(bytes: bytes) != digest)
    }
    #expect(SHA256Digest(bytes: digest.bytes) == digest)
    #expect(digest.hexadecimal(first: 3) == "e3b0c4")
  }

  private static func hash(_ message: [UInt8], piece: Int) -> SHA256Digest {
    var function = SHA256()
    for start in stride(from: 0, to: message.count, by: piece) {
      function.update(message[start..<min(message.count, start + piece)])
    }
    return function.finalize()
  }

  private static func split(_ row: String) -> (String, String) {
    let parts = row.split(separator: " | ")
    return (String(parts[0]), String(parts[1]))
  }

  private static func read(_ row: String) -> (message: [UInt8], digest: String) {
    let (text, digest) = split(row)
    if text.hasPrefix("'") { return (Array(text.dropFirst().dropLast().utf8), digest) }
    let digits = Array(text)
    let bytes = stride(from: 0, to: digits.count, by: 2).map {
      UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
    }
    return (bytes, digest)
  }
}
