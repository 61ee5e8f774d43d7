/// One value of a YAML text with its place; aliases and merge keys are resolved.
struct YAMLNode: Hashable {
  /// What a value is.
  enum Content: Hashable {
    case scalar(YAMLScalar)
    case sequence([YAMLNode])
    case mapping([YAMLEntry])
    /// Wrong in a way that has been reported already: nobody need say more.
    case invalid
  }

  var mark: YAMLMark
  var content: Content
}
