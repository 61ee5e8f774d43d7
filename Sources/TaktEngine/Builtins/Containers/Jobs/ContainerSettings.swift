import TaktCore

/// The parameters of a container, checked.
struct ContainerSettings {
  enum Pull: String, CaseIterable { case missing, always, never }
  enum Removal: String, CaseIterable { case always, never }

  let image: ImageReference?
  let exec: String?
  let pull: Pull
  let removal: Removal
  private let call: BuiltinCall

  init(_ call: BuiltinCall) {
    self.call = call
    image = call.text("image").flatMap(ImageReference.init)
    exec = call.text("exec")
    pull = call.text("pull").flatMap(Pull.init) ?? .missing
    removal = call.text("remove").flatMap(Removal.init) ?? .always
  }

  private var command: [String] {
    call.text("shell").map { ["/bin/sh", "-c", $0] } ?? call.texts("command")
  }

  /// The variables that takt sets for a process of the job, and those that the job adds.
  private func environment(_ more: [String: String]) -> JSONDocument {
    var values = more
    for (variable, value) in Command.facts(of: call.request) { values[variable.rawValue] = value }
    for (name, value) in call.parameters["env"]?.map ?? [:] { values[name] = value.string }
    return .list(values.sorted { $0.key < $1.key }.map { .text("\($0.key)=\($0.value)") })
  }

  /// The members that a new container and an exec share.
  private func common(_ environment: [String: String]) -> [(String, JSONDocument)] {
    var members: [(String, JSONDocument)] = [("Env", self.environment(environment))]
    if !command.isEmpty { members.append(("Cmd", .list(command.map(JSONDocument.text)))) }
    if let text = call.text("workdir") { members.append(("WorkingDir", .text(text))) }
    if let text = call.text("user") { members.append(("User", .text(text))) }
    return members
  }

  func exec(environment: [String: String]) -> JSONDocument {
    .object(
      common(environment) + [("AttachStdout", .flag(true)), ("AttachStderr", .flag(true))])
  }

  /// A second exec that sends a signal to exactly the processes of the first one: they have its
  /// mark in their environment. Fails if the container has no shell, or no `cat`.
  func signal(_ number: Int32, mark: String) -> JSONDocument {
    let script = """
      n=1; for d in /proc/[0-9]*; do case "$(cat "$d/environ" 2>/dev/null)" in
      *"$1"*) kill -"$2" "${d#/proc/}" 2>/dev/null && n=0;; esac; done; exit $n
      """
    let words = ["/bin/sh", "-c", script, "sh", mark, String(number)]
    var members: [(String, JSONDocument)] = [
      ("Cmd", .list(words.map(JSONDocument.text))), ("AttachStdout", .flag(true)),
      ("AttachStderr", .flag(true)),
    ]
    if let text = call.text("user") { members.append(("User", .text(text))) }
    return .object(members)
  }

  func container(labels: [(String, String)]) -> JSONDocument {
    var host: [(String, JSONDocument)] = [
      // Set because the engine's default may be a driver whose output cannot be read.
      ("LogConfig", .object([("Type", .text("json-file"))])),
      ("ReadonlyRootfs", .flag(call.flag("read_only"))), ("Init", .flag(call.flag("init"))),
    ]
    let mounts =
      call.texts("mounts").compactMap(ContainerMount.init).map(\.document)
      + call.texts("tmpfs").map {
        JSONDocument.object([("Type", .text("tmpfs")), ("Target", .text($0))])
      }
    if !mounts.isEmpty { host.append(("Mounts", .list(mounts))) }
    if let text = call.text("network") { host.append(("NetworkMode", .text(text))) }
    if let bytes = call.parameters["memory"]?.integer {
      host.append(("Memory", .number(bytes)))
      // The limit includes swap: none is left.
      host.append(("MemorySwap", .number(bytes)))
    }
    if case .number(let cpus)? = call.parameters["cpus"] {
      host.append(("NanoCpus", .number(Int((cpus * 1_000_000_000).rounded()))))
    }
    if let pids = call.parameters["pids"]?.integer { host.append(("PidsLimit", .number(pids))) }
    return .object(
      common([:]) + [
        ("Image", .text(image?.description ?? "")),
        ("Labels", .object(labels.map { ($0.0, .text($0.1)) })), ("HostConfig", .object(host)),
      ])
  }
}

/// A mount of a container: `SOURCE:TARGET[:ro|:rw]`.
struct ContainerMount: Hashable {
  let source: String
  let target: String
  let isReadOnly: Bool

  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard (2...3).contains(parts.count), ContainerSettings.isPath(parts[1]),
      ContainerSettings.isPath(parts[0]) || ContainerSettings.isName(parts[0]),
      parts.count == 2 || ["ro", "rw"].contains(parts[2])
    else { return nil }
    source = parts[0]
    target = parts[1]
    isReadOnly = parts.count == 3 && parts[2] == "ro"
  }

  var document: JSONDocument {
    // A missing path is an error this way, while a bind would create a folder owned by root.
    .object([
      ("Type", .text(source.hasPrefix("/") ? "bind" : "volume")), ("Source", .text(source)),
      ("Target", .text(target)), ("ReadOnly", .flag(isReadOnly)),
    ])
  }
}

extension ContainerSettings {
  static func problems(in parameters: Parameters) -> [ParameterProblem] {
    var problems: [ParameterProblem] = []
    func check(_ name: String, _ sentence: String, _ isRight: (String) -> Bool) {
      guard let value = parameters[name] else { return }
      let texts = value.list.isEmpty ? [value.string] : value.list.map(\.string)
      for text in texts where !text.contains("{{") && !isRight(text) {
        problems.append(ParameterProblem(name, "'\(text.printable)' \(sentence)"))
      }
    }
    check("image", "is not an image reference such as debian:12 or host/name@sha256:...") {
      ImageReference($0) != nil
    }
    check("exec", "is not the name of a container", isName)
    check("workdir", "is not an absolute path without '..'", isPath)
    check("tmpfs", "is not an absolute path without '..'", isPath)
    check("mounts", "is not /HOST/PATH:/PATH or VOLUME:/PATH, with ':ro' or without, and no '..'") {
      ContainerMount($0) != nil
    }
    check("network", "is not the name of a network", isNetwork)
    check("user", "is not USER or USER:GROUP") { text in
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      return parts.count <= 2 && parts.allSatisfy { isName(String($0)) }
    }
    check("socket", "is longer than \(ContainerEngine.pathBytesMax) bytes") {
      $0.utf8.count <= ContainerEngine.pathBytesMax
    }
    if let socket = parameters["socket"]?.string, socket.contains("{{") {
      problems.append(ParameterProblem("socket", "cannot contain placeholders"))
    }
    if let bytes = parameters["memory"]?.integer, bytes < 6 * 1024 * 1024 {
      problems.append(ParameterProblem("memory", "must be at least 6MB"))
    }
    if let items = parameters["command"]?.list, items.isEmpty || items[0].string.isEmpty {
      problems.append(ParameterProblem("command", "must start with a program"))
    }
    if parameters["shell"]?.string.isEmpty == true {
      problems.append(ParameterProblem("shell", "is empty"))
    }
    for name in parameters["env"]?.map.keys.sorted() ?? [] where !isVariable(name) {
      problems.append(
        ParameterProblem("env", "'\(name.printable)' is not the name of a variable"))
    }
    return problems
  }

  /// True for an absolute path without `..`.
  static func isPath(_ text: String) -> Bool {
    text.hasPrefix("/") && text.utf8.count <= 4096 && !text.utf8.contains(0)
      && !text.split(separator: "/").contains("..")
  }

  /// True for the name of a container, a volume or an account.
  static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 255 else { return false }
    return isLetterOrDigit(first)
      && text.utf8.allSatisfy { isLetterOrDigit($0) || "_.-".utf8.contains($0) }
  }

  private static func isNetwork(_ text: String) -> Bool {
    let prefix = "container:"
    return isName(text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)
  }

  private static func isVariable(_ name: String) -> Bool {
    !name.isEmpty && !name.utf8.contains(UInt8(ascii: "=")) && !name.utf8.contains(0)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
      || byte == UInt8(ascii: "_")
  }
}
