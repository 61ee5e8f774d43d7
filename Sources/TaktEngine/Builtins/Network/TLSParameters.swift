import TaktCore

/// What built-ins take that talk TLS.
enum TLSParameters {
  static let schemas = [
    ParameterSchema(
      "ca_file", .path, isRequired: false,
      summary: "certificates in PEM that are trusted in place of the system's"),
    ParameterSchema(
      "insecure", .boolean, default: .boolean(false),
      summary: "whether any certificate will do"),
  ]
}
