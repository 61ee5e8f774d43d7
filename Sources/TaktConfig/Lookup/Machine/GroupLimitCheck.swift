package import TaktCore

/// Returns the reason why takt cannot limit whole attempts with these controllers on this machine;
/// nil if it can.
package typealias GroupLimitCheck = @Sendable (_ controllers: Set<GroupController>) -> String?
