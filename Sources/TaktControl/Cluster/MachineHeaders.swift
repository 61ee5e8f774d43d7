import HTTPTypes

extension HTTPField.Name {
  // The texts are valid names, so there are such.

  /// The cluster's name: of a request who asks, of an answer who has answered.
  static let taktCluster = HTTPField.Name("Takt-Cluster") ?? .age
  static let taktMachine = HTTPField.Name("Takt-Machine") ?? .age
  /// Of a request, the one member that it is for.
  static let taktMember = HTTPField.Name("Takt-Member") ?? .age
}
