import Glibc
import TaktCore
import TaktSystem
import TaktTime

/// One run of a plugin, with all its data looked up.
struct PluginCall {
  /// Identifies the run in the conversation.
  let run: String
  let manifest: PluginManifest
  /// With secrets filled in.
  let parameters: Parameters
  let secrets: [String: String]
  /// The values to mask in the output.
  let hidden: [[UInt8]]
  /// The parameters that hold secrets.
  private let unshown: Set<String>

  /// True if a look-up that may be slow is needed.
  static func mayBlock(_ manifest: PluginManifest, _ request: AttemptRequest) -> Bool {
    manifest.sha256 != nil || !request.spec.execution.secrets.isEmpty
  }

  /// Fills secrets into parameters and checks the program; may block.
  init(
    _ manifest: PluginManifest, _ parameters: Parameters, of request: AttemptRequest
  ) throws(StartFailure) {
    self.manifest = manifest
    // Each attempt and each step of a run is a run of its own to the plugin.
    run = "\(request.run).\(request.attempt).\(request.step + 1)"
    let diverted = manifest.parameters.map(\.schema).diversion(
      of: parameters, given: request.given, hasMore: !request.spec.execution.secrets.isEmpty)
    if let diverted {
      throw StartFailure(
        stage: .exec, number: 0,
        refusal: (.failed(SecretDiversion.reason), SecretDiversion.sentence(of: diverted)))
    }
    var expansion = ParameterExpansion(request)
    self.parameters = try Self.resolved(parameters, &expansion)
    var secrets: [String: String] = [:]
    for (name, secret) in request.spec.execution.secrets {
      let value = try SecretReader.value(
        of: secret, named: name, for: SecretReader.owner(for: request))
      secrets[name] = String(decoding: value, as: UTF8.self)
    }
    self.secrets = secrets
    let secretNames = Set(manifest.parameters.filter(\.schema.isSecret).map(\.schema.name))
    let texts =
      Array(secrets.values) + expansion.hidden
      + self.parameters.filter { secretNames.contains($0.key) }.values.flatMap(\.texts)
    hidden = texts.map { Array($0.utf8) }
    // A value into which a secret was filled counts as one as well.
    unshown = secretNames.union(
      parameters.filter { !Placeholders.secrets(in: $0.value).isEmpty }.keys)
    // The line of `start` has a limit, and holds little else.
    let size = MessageToPlugin.line(self.parameters.mapValues(PluginValue.init)).count
    guard size <= Self.parametersBytesMax else {
      throw StartFailure(stage: .exec, number: E2BIG, subject: "'\(manifest.name)'")
    }
    try Self.checkDigest(of: manifest)
  }

  private static func resolved(
    _ parameters: Parameters, _ expansion: inout ParameterExpansion
  ) throws(StartFailure) -> Parameters {
    do throws(ParameterExpansion.Failure) {
      return try expansion.resolved(parameters)
    } catch {
      switch error {
      case .unknownSecret(let name):
        throw StartFailure(stage: .secret, number: ENOENT, subject: "'\(name)'")
      case .unreadable(let failure): throw failure
      case .divertsURL: throw StartFailure(stage: .exec, number: EINVAL)
      }
    }
  }

  private static let variableBytesMax = 100_000
  private static let parametersBytesMax = 1_000_000

  /// The line of the `start` message.
  func start(of request: AttemptRequest, deadline: WallInstant?, withSecrets: Bool) -> [UInt8] {
    MessageToPlugin.line(
      MessageToPlugin.Start(
        run: run, job: request.spec.name.text, slot: request.slot.rfc3339(),
        attempt: request.facts?.attempts ?? request.attempt, fence: request.fence?.number,
        deadline: MessageToPlugin.OrNull(text: deadline?.rfc3339()),
        parameters: parameters.mapValues(PluginValue.init), secrets: withSecrets ? secrets : nil,
        facts: request.facts.map(MessageToPlugin.Facts.init)))
  }

  /// The variables of a process of its own, besides those of a command.
  var environment: [String: String] {
    var result = manifest.variables
    for (name, value) in parameters where !unshown.contains(name) {
      let text = PluginValue(value).text
      // The system accepts no longer variable; `start` has the value in any case.
      guard text.utf8.count <= Self.variableBytesMax else { continue }
      result[BoundedParameter.variable(of: name)] = text
    }
    return result
  }

  /// The program is read here and executed a little later; a user who can change it in between can
  /// change the manifest as well.
  private static func checkDigest(of manifest: PluginManifest) throws(StartFailure) {
    guard let wanted = manifest.sha256 else { return }
    guard let program = manifest.command.first, program.contains("/"),
      let found = PluginDigest.ofFile(program)
    else { throw StartFailure(stage: .exec, number: errno, subject: "'\(manifest.name)'") }
    guard found != wanted else { return }
    let fault = PluginFault.sha256
    throw StartFailure(stage: .exec, number: 0, refusal: (fault.result, fault.sentence))
  }
}

extension PluginManifest {
  /// The variables of every process of the plugin.
  var variables: [String: String] {
    [
      "TAKT_PLUGIN": name, "TAKT_PLUGIN_DIR": folder,
      "TAKT_PROTOCOL": String(Self.protocolVersion),
    ]
  }
}

extension ParameterValue {
  /// All texts in it. A number or a truth value alone is too short to mask.
  fileprivate var texts: [String] {
    switch self {
    case .string(let text): [text]
    case .list(let items): items.flatMap(\.texts)
    case .map(let entries): entries.values.flatMap(\.texts)
    case .integer, .number, .boolean, .duration: []
    }
  }
}

/// The digest that a manifest's `sha256` means.
package enum PluginDigest {
  /// In lower-case hexadecimal digits; nil if the file cannot be read.
  package static func ofFile(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var hasher = SHA256()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      hasher.update(buffer[..<count])
    }
    return hasher.finalize().hexadecimal
  }
}
