internal import CLibYAML

/// The events of one YAML text, pulled one at a time from libyaml.
final class YAMLEventReader {
  private let source: SourceText
  private let parser: UnsafeMutablePointer<yaml_parser_t>

  init(_ source: SourceText) {
    self.source = source
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    let isReady = yaml_parser_initialize(parser) != 0
    if isReady {
      // The parser keeps the address beyond this call. It reads there only in `next`, where
      // `source` is kept alive, and the address does not change while `source` lives.
      source.withText { yaml_parser_set_input_string(parser, $0.baseAddress, $0.count) }
      yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    }
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deinitialize(count: 1)
    parser.deallocate()
  }

  /// The next event; after the end of the stream, its end again.
  func next() throws(YAMLStop) -> YAMLEvent {
    var event = yaml_event_t()
    let isParsed = withExtendedLifetime(source) { yaml_parser_parse(parser, &event) != 0 }
    guard isParsed else { throw stop() }
    defer { yaml_event_delete(&event) }
    let mark = YAMLMark(event.start_mark)
    // What stands on the line of the cut was closed by the cut, not by the author.
    if let cut = source.cutLine, mark.line >= cut { throw .cut }
    return YAMLEvent(kind: Self.kind(of: event), mark: mark)
  }

  private static func kind(of event: yaml_event_t) -> YAMLEvent.Kind {
    switch event.type {
    case YAML_STREAM_START_EVENT: return .streamStart
    case YAML_DOCUMENT_START_EVENT: return .documentStart
    case YAML_DOCUMENT_END_EVENT: return .documentEnd
    case YAML_ALIAS_EVENT: return .alias(text(event.data.alias.anchor) ?? "")
    case YAML_SCALAR_EVENT: return scalar(event)
    case YAML_SEQUENCE_START_EVENT:
      let start = event.data.sequence_start
      return .sequenceStart(tag: text(start.tag).map(YAMLTag.init), anchor: text(start.anchor))
    case YAML_MAPPING_START_EVENT:
      let start = event.data.mapping_start
      return .mappingStart(tag: text(start.tag).map(YAMLTag.init), anchor: text(start.anchor))
    case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
    case YAML_MAPPING_END_EVENT: return .mappingEnd
    default: return .streamEnd
    }
  }

  private static func scalar(_ event: yaml_event_t) -> YAMLEvent.Kind {
    let data = event.data.scalar
    // libyaml owns `length` bytes at `value` until the event is deleted; they are copied here.
    let bytes = UnsafeBufferPointer(start: data.value, count: data.length)
    let scalar = YAMLScalar(
      text: String(decoding: bytes, as: UTF8.self),
      isPlain: data.style == YAML_PLAIN_SCALAR_STYLE, tag: text(data.tag).map(YAMLTag.init))
    return .scalar(scalar, anchor: text(data.anchor))
  }

  /// A copy of a text of libyaml's, which ends with a NUL.
  private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    pointer.map { String(cString: $0) }
  }

  private func stop() -> YAMLStop {
    let failed = parser.pointee
    let mark = YAMLMark(failed.problem_mark)
    if let cut = source.cutLine, mark.line >= cut { return .cut }
    return .syntax(
      YAMLSyntaxProblem(
        problem: failed.problem.map { String(cString: $0) } ?? "the parser has no memory",
        mark: mark, context: failed.context.map { String(cString: $0) } ?? "",
        contextMark: YAMLMark(failed.context_mark)))
  }
}

extension YAMLMark {
  fileprivate init(_ mark: yaml_mark_t) {
    // A file has at most 64 MB, so neither count comes near the bound.
    self.init(
      line: UInt32(clamping: mark.line + 1), column: UInt32(clamping: mark.column + 1))
  }
}

/// One step of a YAML text as the parser sees it.
struct YAMLEvent {
  enum Kind {
    case streamStart, streamEnd, documentStart, documentEnd
    case alias(String)
    case scalar(YAMLScalar, anchor: String?)
    case sequenceStart(tag: YAMLTag?, anchor: String?)
    case mappingStart(tag: YAMLTag?, anchor: String?)
    case sequenceEnd, mappingEnd
  }

  var kind: Kind
  var mark: YAMLMark
}
