import TaktTime

extension String {
  /// With a full stop.
  var sentence: String {
    last.map { ".!?;".contains($0) } ?? true ? self : self + "."
  }
}

extension Duration {
  /// `5 s` or `300 ms`
  var plainWords: String {
    let milliseconds = self.milliseconds
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}
