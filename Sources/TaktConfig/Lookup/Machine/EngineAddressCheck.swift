package import TaktCore

/// Says what is wrong with the connection string of a cluster's engine, as the engine's library sees
/// it.
///
/// The second argument is whether files of this machine are looked at, too.
package typealias EngineAddressCheck =
  @Sendable (_ address: String, _ isThorough: Bool) -> [EngineAddressFlaw]

package struct EngineAddressFlaw: Hashable, Sendable {
  /// An error, or a warning of what only this machine lacks.
  var severity: Diagnostic.Severity
  /// Nothing in it is secret.
  var message: String
  var hint: String?

  package init(_ severity: Diagnostic.Severity, _ message: String, hint: String? = nil) {
    self.severity = severity
    self.message = message
    self.hint = hint
  }
}
