/// What a run is given that somebody triggers.
package struct RunParameters: Hashable, Sendable {
  /// In place of those that the job says under `with`.
  package var values: Parameters
  /// For a command, over its `env`.
  package var environment: [String: String]

  package init(values: Parameters = [:], environment: [String: String] = [:]) {
    self.values = values
    self.environment = environment
  }
}
