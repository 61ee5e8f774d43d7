extension BoundedParameter {
  /// The default, with secrets masked; nil for none.
  package var defaultText: String? {
    guard let value = schema.defaultValue else { return nil }
    let text = value.shown(as: schema.kind)
    return schema.isSecret ? SensitiveText.mask : SensitiveText.masked(text, of: schema.name)
  }
}
