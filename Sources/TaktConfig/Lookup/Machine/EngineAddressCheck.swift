package import TaktCore

/// Finds the flaws in the connection string of a cluster's engine, from the view of the engine's
/// library.
///
/// The second argument is true to check files of this machine, too.
package typealias EngineAddressCheck =
  @Sendable (_ address: String, _ isThorough: Bool) -> [EngineAddressFlaw]

package struct EngineAddressFlaw: Hashable, Sendable {
  /// A warning if only this machine lacks something.
  var severity: Diagnostic.Severity
  /// Contains no secret.
  var message: String
  var hint: String?

  package init(_ severity: Diagnostic.Severity, _ message: String, hint: String? = nil) {
    self.severity = severity
    self.message = message
    self.hint = hint
  }
}
