import HTTPTypes

extension HTTPField.Name {
  // The texts are valid names, so none is nil.

  /// The cluster's name: the client's in a request, the server's in an answer.
  static let taktCluster = HTTPField.Name("Takt-Cluster") ?? .age
  static let taktMachine = HTTPField.Name("Takt-Machine") ?? .age
  /// In a request, the one member that it is for.
  static let taktMember = HTTPField.Name("Takt-Member") ?? .age
}
