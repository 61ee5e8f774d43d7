internal import CLibYAML

/// The events of one YAML text, read one at a time from libyaml. The data of an event is read from
/// the parser's own memory until the next event.
final class YAMLEventReader {
  enum Event {
    case streamStart, streamEnd, documentStart, documentEnd
    case alias, scalar, sequenceStart, mappingStart
    case sequenceEnd, mappingEnd
  }

  private let source: SourceText
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  /// The last event, which libyaml owns until it is deleted.
  ///
  /// The pointer is valid for the reader's life: it is allocated when the reader is made and
  /// deallocated when it goes, and nobody else has it.
  private let event: UnsafeMutablePointer<yaml_event_t>

  init(_ source: SourceText) {
    self.source = source
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    // All zero, it is an empty event, which may be deleted.
    event = .allocate(capacity: 1)
    event.initialize(to: yaml_event_t())
    let isReady = yaml_parser_initialize(parser) != 0
    if isReady {
      // The parser keeps the address beyond this call. It reads there only in `next`, where
      // `source` is kept alive, and the address does not change while `source` lives.
      source.withText { yaml_parser_set_input_string(parser, $0.baseAddress, $0.count) }
      yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    }
  }

  deinit {
    yaml_event_delete(event)
    event.deinitialize(count: 1)
    event.deallocate()
    yaml_parser_delete(parser)
    parser.deinitialize(count: 1)
    parser.deallocate()
  }

  /// Moves to the next event; after the end of the stream, to its end again.
  func next() throws(YAMLStop) -> Event {
    let last = event.pointee
    yaml_event_delete(event)
    let isParsed = withExtendedLifetime(source) { yaml_parser_parse(parser, event) != 0 }
    guard isParsed else { throw stop(after: last) }
    // Anything on the line of the cut was closed by the cut, not by the author.
    if let cut = source.cutLine, mark.line >= cut { throw .cut }
    return kind
  }

  private var kind: Event {
    switch event.pointee.type {
    case YAML_STREAM_START_EVENT: .streamStart
    case YAML_DOCUMENT_START_EVENT: .documentStart
    case YAML_DOCUMENT_END_EVENT: .documentEnd
    case YAML_ALIAS_EVENT: .alias
    case YAML_SCALAR_EVENT: .scalar
    case YAML_SEQUENCE_START_EVENT: .sequenceStart
    case YAML_MAPPING_START_EVENT: .mappingStart
    case YAML_SEQUENCE_END_EVENT: .sequenceEnd
    case YAML_MAPPING_END_EVENT: .mappingEnd
    default: .streamEnd
    }
  }

  var mark: YAMLMark { YAMLMark(event.pointee.start_mark) }

  /// The last line of the event. The end of a block, which has no sign of its own, is only detected
  /// on the line after it.
  var lastLine: UInt32 {
    let (start, end) = (YAMLMark(event.pointee.start_mark), YAMLMark(event.pointee.end_mark))
    return start == end && end.line > 1 ? end.line - 1 : end.line
  }

  /// The ratio of the whole text to the part that has been read, rounded up.
  var partsOfTotal: Int {
    source.withText { $0.count } / max(1, parser.pointee.mark.index) + 1
  }

  var scalar: YAMLScalar {
    // libyaml owns `length` bytes at `value` until the event is deleted; they are copied here.
    let bytes = UnsafeBufferPointer(
      start: event.pointee.data.scalar.value, count: event.pointee.data.scalar.length)
    return YAMLScalar(
      text: String(decoding: bytes, as: UTF8.self),
      isPlain: event.pointee.data.scalar.style == YAML_PLAIN_SCALAR_STYLE,
      tag: Self.text(event.pointee.data.scalar.tag).map(YAMLTag.init))
  }

  /// The tag of the start of a collection.
  var tag: YAMLTag? {
    let tag =
      event.pointee.type == YAML_MAPPING_START_EVENT
      ? event.pointee.data.mapping_start.tag : event.pointee.data.sequence_start.tag
    return Self.text(tag).map(YAMLTag.init)
  }

  /// The anchor of a scalar, of the start of a collection, or the one that an alias names.
  var anchor: String? {
    switch event.pointee.type {
    case YAML_ALIAS_EVENT: Self.text(event.pointee.data.alias.anchor)
    case YAML_SCALAR_EVENT: Self.text(event.pointee.data.scalar.anchor)
    case YAML_SEQUENCE_START_EVENT: Self.text(event.pointee.data.sequence_start.anchor)
    case YAML_MAPPING_START_EVENT: Self.text(event.pointee.data.mapping_start.anchor)
    default: nil
    }
  }

  /// A copy of a text of libyaml's, which ends with a NUL.
  private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    pointer.map { String(cString: $0) }
  }

  /// - Parameter last: the event before, of which only its places and its style are valid.
  private func stop(after last: yaml_event_t) -> YAMLStop {
    let failed = parser.pointee
    let mark = YAMLMark(failed.problem_mark)
    if let cut = source.cutLine, mark.line >= cut { return .cut }
    return .syntax(
      YAMLSyntaxProblem(
        problem: failed.problem.map { String(cString: $0) } ?? "the parser has no memory",
        mark: mark, context: failed.context.map { String(cString: $0) } ?? "",
        contextMark: YAMLMark(failed.context_mark), text: YAMLSyntaxProblem.Text(last)))
  }
}

extension YAMLSyntaxProblem.Text {
  /// Nil if the event is no text, an empty one or a block.
  fileprivate init?(_ event: yaml_event_t) {
    let styles = [
      YAML_PLAIN_SCALAR_STYLE, YAML_SINGLE_QUOTED_SCALAR_STYLE, YAML_DOUBLE_QUOTED_SCALAR_STYLE,
    ]
    guard event.type == YAML_SCALAR_EVENT, styles.contains(event.data.scalar.style) else {
      return nil
    }
    self.init(
      start: YAMLMark(event.start_mark), end: YAMLMark(event.end_mark),
      isPlain: event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
    if start == end { return nil }
  }
}

extension YAMLMark {
  fileprivate init(_ mark: yaml_mark_t) {
    // A file has at most 64 MB, so neither count comes near the bound.
    self.init(
      line: UInt32(clamping: mark.line + 1), column: UInt32(clamping: mark.column + 1))
  }
}
