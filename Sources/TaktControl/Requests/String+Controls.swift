extension String {
  /// The text with control characters made visible: what others wrote is not to steer a terminal.
  var withoutControls: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{fffd}" : $0 }))
  }
}
