import Dispatch
import TaktCore

extension QoS {
  /// The nice value of a child of this class: the same as the system library gives to the threads
  /// of a queue of this class, so that commands and built-ins share the processor alike.
  var nice: Int32 {
    switch self {
    case .userInteractive, .userInitiated: -2
    case .default: 0
    case .utility: 2
    case .background: 10
    }
  }

  /// The class of the queue on which a built-in's code runs.
  var dispatchClass: DispatchQoS {
    switch self {
    case .userInteractive: .userInteractive
    case .userInitiated: .userInitiated
    case .default: .default
    case .utility: .utility
    case .background: .background
    }
  }
}
