import TaktCore

/// A secret with its value.
struct ReadSecret: Sendable {
  var name: String
  var delivery: Secret.Delivery
  var value: [UInt8]
}
