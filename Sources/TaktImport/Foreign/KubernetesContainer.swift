import TaktCore

/// The container of a pod as a `docker run`.
struct KubernetesContainer {
  let leaves: ForeignLeaves
  /// The path of the keys of the pod.
  let path: String
  let pod: ForeignNode
  let container: ForeignNode
  /// Variables so far; later ones can refer to them.
  private var known: [String: String] = [:]
  private var variables: [DraftEntry] = []
  private var options: [String] = []
  /// Variables and volumes of the cluster that this machine lacks.
  private var missing: [String] = []

  init(leaves: ForeignLeaves, path: String, pod: ForeignNode, _ container: ForeignNode) {
    self.leaves = leaves
    self.path = path
    self.pod = pod
    self.container = container
  }

  mutating func set(in draft: inout JobDraft) {
    let command = container["command"]?.texts ?? []
    readEnvironment(draft.name)
    readVolumes(draft.name)
    var words = ["docker", "run", "--rm"]
    if let policy = container["imagePullPolicy"]?.text { words += pull(policy, draft.name) }
    if let program = command.first { words += ["--entrypoint", expanded(program)] }
    words += options
    if let folder = container["workingDir"]?.text { words += ["--workdir", folder] }
    words.append(container["image"]?.text ?? "")
    words += (command.dropFirst() + (container["args"]?.texts ?? [])).map(expanded)
    draft[.run] = .list(words.map(DraftValue.text))
    if !variables.isEmpty { draft[.environment] = .map(variables) }
    if !missing.isEmpty { draft[.enabled] = .word("false") }
    for key in ["image", "command", "args", "workingDir"] {
      leaves.differ(
        "\(path).containers.\(key)", "'docker run' runs the container here", in: draft.name)
    }
    leaves.keep("\(path).containers.name", as: "the container has no name", in: draft.name)
    for name in missing where words.contains(where: { $0.contains("$(\(name))") }) {
      for key in ["command", "args"] {
        leaves.lose(
          "\(path).containers.\(key)", "write the value of \(name) for '$(\(name))'",
          in: draft.name)
      }
    }
  }

  private func pull(_ policy: String, _ job: String) -> [String] {
    guard let word = ["Always": "always", "IfNotPresent": "missing", "Never": "never"][policy]
    else { return [] }
    leaves.keep("\(path).containers.imagePullPolicy", as: "docker run --pull", in: job)
    return word == "missing" ? [] : ["--pull", word]
  }

  /// Passes variables through `env` of the job if takt allows their names, and otherwise as
  /// arguments of Docker, which allows any.
  private mutating func readEnvironment(_ job: String) {
    for item in container["envFrom"]?.items ?? [] {
      let name = item["configMapRef"]?["name"]?.text ?? item["secretRef"]?["name"]?.text ?? "?"
      missing.append(name)
      leaves.lose(
        item,
        "takt has none of the variables in '\(name)', and so the job is disabled; put them in a "
          + "file, and pass it with '--env-file'", in: job)
    }
    for item in container["env"]?.items ?? [] {
      guard let name = item["name"]?.text, !name.isEmpty, !name.has("=") else { continue }
      if let source = item["valueFrom"] {
        options += ["--env", name]
        missing.append(name)
        known[name] = nil
        leaves.keep(item, as: "docker run --env", in: job)
        leaves.lose(
          source,
          "takt does not know the value of \(name), and so the job is disabled; write it to 'env' "
            + "or 'secrets'", in: job)
        continue
      }
      let value = expanded(item["value"]?.textOrEmpty ?? "")
      known[name] = value
      if name.isVariableName, !name.hasPrefix("TAKT_") {
        variables.removeAll { $0.key == name }
        variables.append(DraftEntry(key: name, value: .text(value)))
        options += ["--env", name]
        leaves.keep(item, as: "env", in: job)
      } else {
        options += ["--env", "\(name)=\(value)"]
        leaves.keep(item, as: "docker run --env", in: job)
      }
    }
  }

  /// Handles folders of the machine and empty ones. Others are in the cluster.
  private mutating func readVolumes(_ job: String) {
    let volumes = pod["volumes"]?.items ?? []
    for mount in container["volumeMounts"]?.items ?? [] {
      guard let name = mount["name"]?.text, let target = mount["mountPath"]?.text else { continue }
      let volume = volumes.first { $0["name"]?.text == name }
      let suffix = mount["readOnly"]?.text == "true" ? ":ro" : ""
      if let folder = volume?["hostPath"]?["path"]?.text, mount["subPath"] == nil,
        !folder.has(":"), !target.has(":")
      {
        options += ["--volume", "\(folder):\(target)\(suffix)"]
        leaves.differ(mount, "a folder of this machine, and not of a node of the cluster", in: job)
        if let volume { leaves.keep(volume, as: "docker run --volume", in: job) }
      } else if let volume, volume["emptyDir"] != nil, mount["subPath"] == nil, !target.has(":") {
        let isMemory = volume["emptyDir"]?["medium"]?.text == "Memory"
        options += [isMemory ? "--tmpfs" : "--volume", target]
        leaves.lose("\(path).volumes.emptyDir.sizeLimit", "Docker does not limit it", in: job)
        leaves.keep(mount, as: "docker run --volume", in: job)
        leaves.keep(volume, as: "docker run --volume", in: job)
      } else {
        missing.append(name)
        leaves.lose(
          mount,
          "takt does not have the volume '\(name)', and so the job is disabled; mount its files "
            + "with '--volume'", in: job)
      }
    }
  }

  /// Replaces `$(NAME)` by the variable's value. `$$` is a dollar sign; an unknown name stays.
  private func expanded(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "$", let next = rest.first else {
        result.append(scalar)
        continue
      }
      if next == "$" {
        result.append("$")
        rest.removeFirst()
      } else if next == "(", let end = rest.firstIndex(of: ")") {
        let name = String(rest[rest.index(after: rest.startIndex)..<end])
        result.append(contentsOf: (known[name] ?? "$(\(name))").unicodeScalars)
        rest = rest[rest.index(after: end)...]
      } else {
        result.append("$")
      }
    }
    return String(result)
  }
}
