import Testing

@testable import TaktConfig

struct TextFlawTests {
  @Test(
    arguments: [
      ([], nil), ([0x61, 0x09, 0x0a, 0x0d], nil), (Array("äß€😀\u{85}\u{a0}".utf8), nil),
      ([0xff, 0xfe, 0x61], TextFlaw(kind: .otherEncoding, offset: 0)),
      ([0xfe, 0xff], TextFlaw(kind: .otherEncoding, offset: 0)),
      ([0x61, 0], TextFlaw(kind: .zero, offset: 1)), ([0x80], TextFlaw(kind: .notUTF8, offset: 0)),
      ([0xc0, 0x80], TextFlaw(kind: .notUTF8, offset: 0)),
      ([0xe0, 0x80, 0x80], TextFlaw(kind: .notUTF8, offset: 0)),
      ([0xed, 0xa0, 0x80], TextFlaw(kind: .notUTF8, offset: 0)),
      ([0xf4, 0x90, 0x80, 0x80], TextFlaw(kind: .notUTF8, offset: 0)),
      ([0x61, 0xe2, 0x82], TextFlaw(kind: .notUTF8, offset: 1)),
      ([0x07], TextFlaw(kind: .control(7), offset: 0)),
      ([0x7f], TextFlaw(kind: .control(0x7f), offset: 0)),
      ([0xc2, 0x80], TextFlaw(kind: .control(0x80), offset: 0)),
      ([0xef, 0xbf, 0xbf], TextFlaw(kind: .control(0xffff), offset: 0)),
    ] as [([UInt8], TextFlaw?)])
  func `the first byte that is no text is found`(bytes: [UInt8], flaw: TextFlaw?) {
    bytes.withUnsafeBufferPointer { #expect(TextFlaw.first(in: $0, from: 0) == flaw) }
  }
}
