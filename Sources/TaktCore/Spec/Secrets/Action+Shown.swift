extension Action {
  /// What a run does, for those who may read the jobs file: each command and each parameter with its
  /// place, and with secrets masked.
  package var shownParts: [HiddenValue] { [HiddenValue].of(self, under: "") }
}
