package import TaktCore

/// Why takt cannot limit whole attempts with these controllers on this machine; nil where it can.
package typealias GroupLimitCheck = @Sendable (_ controllers: Set<GroupController>) -> String?
