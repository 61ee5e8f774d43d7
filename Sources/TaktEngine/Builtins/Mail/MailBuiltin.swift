import TaktCore
import TaktSystem
import TaktTransfer
import TaktTime

/// `use: mail` sends a mail through a server, or through the machine's `sendmail`.
struct MailBuiltin: LongBuiltin {
  var kind: BuiltinKind { .network }

  var name: String { "mail" }

  var summary: String {
    "sends a mail by SMTP or `sendmail`; in a hook, with the run's facts and its kept output"
  }

  var parameters: [ParameterSchema] {
    wayParameters + [
      ParameterSchema(
        "from", .string, reaches: .user, summary: "the sender: `user@host` or `Name <user@host>`"),
      ParameterSchema(
        "to", .list(.string), reaches: .user, summary: "the recipients, in the same form"),
      ParameterSchema(
        "subject", .string, reaches: .nothing, isRequired: false,
        summary:
          "one line; by default `[takt] {{job}} {{outcome}} ({{reason}})` in a hook and `[takt] {{job}}` elsewhere"
      ),
      ParameterSchema(
        "body", .string, reaches: .nothing, isRequired: false,
        summary:
          "the text; by default, what happened, the run's facts and the last lines of its output"),
      ParameterSchema(
        "attach_output", .boolean, reaches: .nothing, default: .boolean(true),
        summary: "whether a hook attaches the run's kept output, up to 64KB"),
      ParameterSchema(
        "timeout", .duration(least: .milliseconds(1)), reaches: .nothing,
        default: .duration(.seconds(60)),
        summary: "the maximum total time for the server or `sendmail`"),
    ]
  }

  private var wayParameters: [ParameterSchema] {
    [
      ParameterSchema(
        "host", .string, reaches: .host, isRequired: false,
        summary: "the SMTP server; either this or `sendmail` is required"),
      ParameterSchema(
        "port", .integer(1...65_535), reaches: .address, isRequired: false,
        summary: "the port; by default 587, 465 with `tls: tls`, or 25 with `tls: none`"),
      ParameterSchema(
        "tls", .choice(MailRequest.Security.allCases.map(\.rawValue)), reaches: .host,
        default: .string("starttls"),
        summary: "whether the connection is encrypted: after STARTTLS, from the start, or never"),
      ParameterSchema(
        "user", .string, reaches: .user, isRequired: false, summary: "the user to authenticate as"),
      ParameterSchema(
        "password", .string, reaches: .header, isRequired: false, isSecret: true,
        summary: "the password of `user`, preferably `{{secret.NAME}}`"),
      ParameterSchema(
        "hello", .string, reaches: .nothing, isRequired: false,
        summary: "the host name to greet the server with; by default, this machine's name"),
    ] + TLSParameters.schemas + [
      ParameterSchema(
        "sendmail", .path, reaches: .program, isRequired: false,
        summary: "a program to run instead of SMTP, compatible with `/usr/sbin/sendmail`")
    ]
  }

  var reasons: [BuiltinReason] {
    [
      BuiltinReason("smtp(N)", "the server refuses the mail with this code"),
      BuiltinReason(
        "recipient(N)", "the server refuses a recipient; the others get the mail"),
      BuiltinReason("auth", "the server offers no authentication method that takt supports"),
      BuiltinReason("auth(N)", "the server rejects the user or password"),
      BuiltinReason("starttls", "the server does not offer STARTTLS"),
      BuiltinReason("starttls(N)", "the server refuses STARTTLS"),
      BuiltinReason("address", "the sender or a recipient is not a valid address"),
      BuiltinReason(
        "header",
        "the subject contains a control character, or `hello` is not a host name"),
      BuiltinReason("parameters", "both `host` and `sendmail` are set, or neither"),
      BuiltinReason("exit(N)", "`sendmail` failed with this status"),
    ] + NetworkFailure.reasons
  }

  /// Rejects neither or both of `host` and `sendmail`, and invalid addresses.
  func problems(in parameters: Parameters) -> [ParameterProblem] {
    var problems: [ParameterProblem] = []
    if (parameters["host"] == nil) == (parameters["sendmail"] == nil) {
      problems.append(ParameterProblem(nil, "needs either 'host' or 'sendmail'"))
    }
    let addresses =
      (parameters["to"]?.list ?? []).map { ("to", $0.string) }
      + (parameters["from"].map { [("from", $0.string)] } ?? [])
    // A server on this machine knows its users by name alone.
    let isElsewhere = parameters["host"].map { !HostName.isLocal($0.string) } ?? false
    for (name, address) in addresses where !address.contains("{{") {
      guard let known = MailAddress(address) else {
        problems.append(ParameterProblem(name, "'\(address)' is not a mail address"))
        continue
      }
      if isElsewhere, !known.mailbox.contains("@") {
        problems.append(
          ParameterProblem(
            name,
            "the address '\(known.mailbox)' has no host, so most servers refuse it; "
              + "write \(known.mailbox)@example.org", isDoubt: true))
      }
    }
    if let hello = parameters["hello"]?.string, !hello.contains("{{"), !HostName.isValid(hello) {
      problems.append(ParameterProblem("hello", "'\(hello)' is not a host name"))
    }
    if let to = parameters["to"], to.list.isEmpty {
      problems.append(ParameterProblem("to", "needs at least one recipient"))
    }
    if (parameters["user"] == nil) != (parameters["password"] == nil) {
      problems.append(ParameterProblem("user", "'user' and 'password' must be set together"))
    }
    return problems + idle(parameters)
  }

  /// Rejects parameters of a server that is not used, or of a certificate that is not checked.
  private func idle(_ parameters: Parameters) -> [ParameterProblem] {
    if parameters["sendmail"] != nil, parameters["host"] == nil {
      return ["port", "tls", "user", "password", "ca_file", "insecure"].compactMap { name in
        parameters[name].map { _ in ParameterProblem(name, "has no effect with 'sendmail'") }
      }
    }
    if parameters["tls"]?.string == MailRequest.Security.none.rawValue {
      return ["ca_file", "insecure"].compactMap { name in
        parameters[name].map { _ in ParameterProblem(name, "has no effect with 'tls: none'") }
      }
    }
    if parameters["ca_file"] != nil, parameters["insecure"]?.boolean == true {
      return [ParameterProblem("ca_file", "has no effect with 'insecure'")]
    }
    return []
  }

  func traits(with parameters: Parameters) -> ActionTraits {
    parameters["sendmail"] == nil ? [] : [.usesOwnRights, .isCommand]
  }

  func run(_ call: BuiltinCall) -> BuiltinEnd {
    guard call.has("host") != call.has("sendmail") else { return .failed("parameters") }
    let recipients = call.texts("to").map { MailAddress($0) }
    let to = recipients.compactMap(\.self)
    guard let from = MailAddress(call.text("from") ?? ""), !to.isEmpty,
      to.count == recipients.count
    else { return .failed("address") }
    let subject = call.text("subject") ?? Self.subject(of: call.request)
    let hello = call.text("hello") ?? HostName.current
    guard MailHeader.isAllowed(subject) else { return .failed("header") }
    guard HostName.isValid(hello) else {
      call.log("'hello' is not a host name", .warning)
      return .failed("header")
    }
    let message = MailMessage(
      from: from, to: to, subject: subject, body: call.text("body") ?? Self.body(of: call.request),
      attachment: call.flag("attach_output") ? Self.attachment(of: call.request) : nil,
      date: call.time.wall, id: Self.identifier(call, hello))
    if let program = call.text("sendmail") {
      return .command(
        BuiltinCommand(
          arguments: [program, "-i", "-f", from.mailbox, "--"] + to.map(\.mailbox),
          stdin: message.text(lineEnd: "\n"), timeout: Self.timeout(call)))
    }
    return deliver(message, hello, call)
  }

  private func deliver(_ message: MailMessage, _ hello: String, _ call: BuiltinCall) -> BuiltinEnd {
    let security = MailRequest.Security(rawValue: call.text("tls") ?? "") ?? .starttls
    let port = call.integer("port", or: [.none: 25, .starttls: 587, .tls: 465][security] ?? 25)
    let host = call.text("host") ?? ""
    do throws(NetworkFailure) {
      let request = MailRequest(
        host: host, port: port, security: security,
        trust: security == .none ? .system : try Network.trust(call, within: Self.timeout(call)),
        hello: hello,
        credentials: call.text("user").map { ($0, call.text("password") ?? "") },
        from: message.from.mailbox, to: message.to.map(\.mailbox),
        content: Array(message.text(lineEnd: "\r\n").utf8), timeout: Self.timeout(call))
      try Network.send(request, call.cancellation)
    } catch {
      call.log("\(host):\(port): \(error.message)", .warning)
      return .failed(error.reason)
    }
    call.log("sent to \(message.to.count) by \(host):\(port)")
    return .done
  }

  private static func timeout(_ call: BuiltinCall) -> Duration {
    call.duration("timeout", or: .seconds(60))
  }

  private static func subject(of request: AttemptRequest) -> String {
    guard let facts = request.facts else { return "[takt] \(request.spec.name)" }
    let outcome =
      facts.end.map { "\($0.outcome.rawValue) (\($0.reason))" }
      ?? (facts.hook == .onStart ? "started" : facts.hook == .onStale ? "stale" : "late")
    let hook = facts.failedHook.map { ": \($0)" } ?? ""
    return "[takt] \(request.spec.name)\(hook) \(outcome)"
  }

  private static func body(of request: AttemptRequest) -> String {
    let message = RunMessage(request)
    var lines = [message.title, ""] + message.factLines
    if !message.output.isEmpty {
      lines += ["", "The last lines of the output:", "", message.output]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func attachment(of request: AttemptRequest) -> (name: String, bytes: [UInt8])? {
    guard let facts = request.facts, !facts.output.isEmpty else { return nil }
    // A job's name contains nothing that a header would have to quote.
    return (
      "\(request.spec.name)-\(facts.run).txt",
      facts.output.bytes(
        max: MailMessage.attachmentBytesMax, request.spec.execution.output.colours)
    )
  }

  private static func identifier(_ call: BuiltinCall, _ hello: String) -> String {
    let noise = UInt64.random(in: .min ... .max)
    return
      "\(call.time.wall.nanoseconds).\(call.request.run).\(call.request.attempt).\(String(noise, radix: 36))@\(hello)"
  }
}
