import TaktCore

/// `use: container` runs a command in a new container, or in a running one.
struct ContainerBuiltin: LongBuiltin {
  var name: String { "container" }

  var summary: String {
    "runs a job in a new container of an image, or in a running container, by the API of Docker or "
      + "Podman; the exit status is that of the command"
  }

  var kind: BuiltinKind { .container }

  var parameters: [ParameterSchema] {
    [
      ParameterSchema(
        "image", .string, reaches: .program, isRequired: false,
        summary: "the image of a new container; either this or `exec` is required"),
      ParameterSchema(
        "exec", .string, reaches: .program, isRequired: false,
        summary: "the name of a running container in which to run the command"),
      ParameterSchema(
        "command", .list(.string), reaches: .program, isRequired: false,
        summary: "the command and its arguments; by default, that of the image"),
      ParameterSchema(
        "shell", .string, reaches: .program, isRequired: false,
        summary: "a command line for `/bin/sh -c` in the container, in place of `command`"),
      ParameterSchema(
        "env", .map(.string), reaches: .program, isRequired: false,
        summary: "environment variables by name; `{{secret.NAME}}` stands for a secret"),
      ParameterSchema(
        "workdir", .string, reaches: .path, isRequired: false,
        summary: "the working directory, an absolute path in the container"),
      ParameterSchema(
        "user", .string, reaches: .user, isRequired: false,
        summary: "the user in the container, `USER` or `USER:GROUP`"),
    ] + Self.newContainer + [
      ParameterSchema(
        "socket", .path, reaches: .address, isRequired: false,
        summary:
          "the socket of the engine; by default that of `DOCKER_HOST`, `/var/run/docker.sock` or `/run/podman/podman.sock`"
      )
    ]
  }

  /// Parameters that describe a new container.
  private static let newContainer = [
    ParameterSchema(
      "mounts", .list(.string), reaches: .file, isRequired: false,
      summary:
        "what to mount: `/HOST/PATH:/PATH` or `VOLUME:/PATH`, each with `:ro` for reading only"),
    ParameterSchema(
      "tmpfs", .list(.string), reaches: .path, isRequired: false,
      summary: "absolute paths at which to mount empty file systems in memory"),
    ParameterSchema(
      "network", .string, reaches: .address, isRequired: false,
      summary: "`none`, `host`, `container:NAME` or the name of a network; by default, the engine's"
    ),
    ParameterSchema(
      "pull", .choice(ContainerSettings.Pull.allCases.map(\.rawValue)), reaches: .address,
      default: .string(ContainerSettings.Pull.missing.rawValue),
      summary: "when to pull the image"),
    ParameterSchema(
      "memory", .size, reaches: .nothing, isRequired: false,
      summary: "the memory that the container may use, at least 6MB"),
    ParameterSchema(
      "cpus", .number(0.01...4096), reaches: .nothing, isRequired: false,
      summary: "the processors that the container may use, such as `0.5`"),
    ParameterSchema(
      "pids", .integer(1...4_194_304), reaches: .nothing, isRequired: false,
      summary: "the number of processes that the container may have"),
    ParameterSchema(
      "read_only", .boolean, reaches: .file, default: .boolean(false),
      summary: "whether the root file system of the container is read-only"),
    ParameterSchema(
      "init", .boolean, reaches: .nothing, default: .boolean(false),
      summary:
        "whether the engine's init is the first process; a command that handles no TERM ends only then before KILL"
    ),
    ParameterSchema(
      "remove", .choice(ContainerSettings.Removal.allCases.map(\.rawValue)), reaches: .nothing,
      default: .string(ContainerSettings.Removal.always.rawValue),
      summary: "whether to remove the container when it has ended, with its unnamed volumes"),
  ]

  var reasons: [BuiltinReason] {
    [
      BuiltinReason("no_engine", "no container engine listens on the socket"),
      BuiltinReason(
        "not_an_engine", "the socket is not that of a container engine, or its API is too old"),
      BuiltinReason("engine_timeout", "the container engine does not answer in time"),
      BuiltinReason("engine(N)", "the container engine refuses with the HTTP status N"),
      BuiltinReason("image", "the image does not exist, or cannot be pulled"),
      BuiltinReason("container", "the container of `exec` does not exist or does not run"),
      BuiltinReason("removed", "the container was removed by someone else"),
      BuiltinReason("still_running", "the command in the container could not be ended"),
      BuiltinReason("parameters", "a parameter is invalid once its placeholders are replaced"),
      BuiltinReason("unable", "takt cannot connect to anything; the log says why"),
      BuiltinReason("cancelled", "the attempt was stopped before the command started"),
      BuiltinReason("secret(NAME)", "the job has no secret with this name"),
      BuiltinReason(
        SecretDiversion.reason,
        "a trigger set a parameter that decides where the job's secrets would go"),
    ]
  }

  /// The engine runs the container with root's rights: those of the job's user do not limit it.
  func traits(with parameters: Parameters) -> ActionTraits {
    [.usesOwnRights, .isCommand, .hasExitStatus]
  }

  func problems(in parameters: Parameters) -> [ParameterProblem] {
    var problems = ContainerSettings.problems(in: parameters)
    let isNew = parameters["image"] != nil
    switch (isNew, parameters["exec"] != nil) {
    case (true, true):
      problems.append(ParameterProblem("exec", "cannot be set with 'image'; remove one of them"))
    case (false, false):
      problems.append(ParameterProblem(nil, "either 'image' or 'exec' is required"))
    case (false, true):
      for schema in Self.newContainer where parameters[schema.name] != nil {
        problems.append(ParameterProblem(schema.name, "has no effect with 'exec'"))
      }
      if parameters["command"] == nil, parameters["shell"] == nil {
        problems.append(ParameterProblem("exec", "needs 'command' or 'shell'"))
      }
    case (true, false): break
    }
    if parameters["command"] != nil, parameters["shell"] != nil {
      problems.append(ParameterProblem("shell", "cannot be set with 'command'; remove one of them"))
    }
    return problems
  }

  func run(_ call: BuiltinCall) -> BuiltinEnd {
    // Placeholders may have any value.
    if let problem = problems(in: call.parameters.filter { call.isGiven($0.key, of: self) }).first {
      let name = problem.parameter.map { "'\($0)' " } ?? ""
      call.log("\(name)\(problem.message)", .error)
      return .failed("parameters")
    }
    do throws(ContainerFailure) {
      let settings = ContainerSettings(call)
      let engine = try ContainerEngines.shared.engine(
        at: ContainerEngines.socket(call.text("socket")))
      let work = ContainerAttempt(call, settings, on: engine)
      if let container = settings.exec { return try work.runExec(in: container) }
      return try work.runNew()
    } catch {
      call.log(error.message, .error)
      return .failed(error.reason)
    }
  }
}

extension BuiltinCall {
  /// True if a parameter differs from its default.
  fileprivate func isGiven(_ name: String, of builtin: any Builtin) -> Bool {
    builtin.parameters.first { $0.name == name }?.defaultValue != parameters[name]
  }
}
