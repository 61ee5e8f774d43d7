/// One step of a YAML text as the parser sees it.
struct YAMLEvent {
  /// What a step is.
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
