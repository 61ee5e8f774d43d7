import TaktCore

/// The reports of yacron as hooks: mails and commands.
struct YacronReports {
  let leaves: ForeignLeaves
  let job: ForeignNode
  /// The password of a mail, to which a hook refers.
  private var secret: (name: String, value: DraftValue)?

  init(leaves: ForeignLeaves, job: ForeignNode) {
    self.leaves = leaves
    self.job = job
  }

  mutating func set(in draft: inout JobDraft) {
    for source in ["onFailure", "onPermanentFailure", "onSuccess"] {
      let key = source == "onSuccess" ? JobKey.onSuccess : .onFailure
      guard let report = job[source]?["report"] else { continue }
      if let command = report["shell"], let action = action(of: command) {
        draft.append(key, action)
        settle(source, "shell", of: draft.name)
      }
      if let mail = report["mail"], let action = action(of: mail, source, in: draft.name) {
        draft.append(key, action)
        settle(source, "mail", of: draft.name)
      }
      for other in ["sentry", "webhook", "push"] {
        leaves.lose(
          "\(source).report.\(other)", "write 'use: notify' or 'use: http' for it", in: draft.name)
      }
    }
    if let secret { draft.set(.secrets, secret.name, secret.value) }
  }

  private func settle(_ source: String, _ reporter: String, of name: String) {
    let isEachTry =
      source == "onFailure" && job["onFailure"]?["retry"]?["maximumRetries"]?.text ?? "0" != "0"
    let path = "\(source).report.\(reporter)"
    if isEachTry {
      leaves.differ(path, "a hook is called after the last attempt, not after each", in: name)
    } else {
      leaves.keep(path, as: source == "onSuccess" ? "on_success" : "on_failure", in: name)
    }
  }

  // MARK: Commands

  private func action(of reporter: ForeignNode) -> DraftValue? {
    let shell = reporter["shell"]?.text ?? "/bin/sh"
    var words: [String]
    if let text = reporter["command"]?.text, !text.isEmpty, shell.hasPrefix("/") {
      words = [shell, "-c", variables + text]
    } else if case .list? = reporter["command"]?.content,
      let command = reporter["command"]?.texts, command.first?.isEmpty == false
    {
      words = ["/bin/sh", "-c", variables + "exec \"$@\"", "sh"] + command
    } else {
      return nil
    }
    return .mapping(["run": .list(words.map(DraftValue.text))])
  }

  /// Sets yacron's variables for a reporter from takt's variables for a hook.
  private var variables: String {
    let command = (job["command"]?.texts ?? []).joined(separator: " ")
    let schedule = job["schedule"]?.text ?? ""
    return """
      case $TAKT_REASON in
        exit*) r=${TAKT_REASON#exit?} r=${r%?} ;;
        signal*) r=-${TAKT_REASON#signal?} r=${r%?} ;;
        timeout*) r=-15 ;;
        *) r=0 ;;
      esac
      f=1; [ "$TAKT_OUTCOME" = succeeded ] && f=0
      export YACRON_FAIL_REASON="$TAKT_REASON" YACRON_FAILED="$f" YACRON_RETCODE="$r"
      export YACRON_JOB_NAME=\((job["name"]?.text ?? "").singleQuoted)
      export YACRON_JOB_COMMAND=\(command.singleQuoted)
      export YACRON_JOB_SCHEDULE=\(schedule.singleQuoted)
      export YACRON_STDERR="$TAKT_OUTPUT" YACRON_STDOUT="$TAKT_OUTPUT"

      """
  }

  // MARK: Mails

  private mutating func action(
    of mail: ForeignNode, _ source: String, in name: String
  ) -> DraftValue? {
    let receivers = (mail["to"]?.text ?? "").split(separator: ",").map { $0.trimmed }
    guard let sender = mail["from"]?.text, MailAction.isAddress(sender),
      !receivers.isEmpty, receivers.allSatisfy(MailAction.isAddress),
      let host = (mail["smtpHost"] ?? mail["smtp_host"])?.text, MailAction.isHost(host)
    else { return nil }
    let isTLS = mail["tls"]?.text == "true"
    let security = isTLS ? "tls" : mail["starttls"]?.text == "true" ? "starttls" : "none"
    var entries = [DraftEntry(key: "host", value: .text(host))]
    let port = (mail["smtpPort"] ?? mail["smtp_port"])?.text ?? "25"
    guard let number = Int(port), (1...65535).contains(number) else { return nil }
    entries.append(DraftEntry(key: "port", value: .word("\(number)")))
    entries.append(DraftEntry(key: "tls", value: .word(security)))
    if security != "none", mail["validate_certs"]?.text == "false" {
      entries.append(DraftEntry(key: "insecure", value: .word("true")))
    }
    if let user = mail["username"]?.text, let password = password(of: mail, source) {
      entries.append(DraftEntry(key: "user", value: .text(MailAction.literal(user))))
      entries.append(DraftEntry(key: "password", value: password))
    }
    entries.append(DraftEntry(key: "from", value: .text(sender)))
    entries.append(DraftEntry(key: "to", value: .list(receivers.map(DraftValue.text))))
    let path = "\(source).report.mail"
    if let subject = mail["subject"]?.text {
      if let text = Self.subject(subject) {
        entries.append(DraftEntry(key: "subject", value: .text(text)))
      } else {
        leaves.differ("\(path).subject", "the subject is takt's own", in: name)
      }
    }
    for key in ["body", "html"] {
      leaves.differ("\(path).\(key)", "the text is takt's own, with the output attached", in: name)
    }
    return .mapping(["use": .word("mail"), "with": .map(entries)])
  }

  private mutating func password(of mail: ForeignNode, _ source: String) -> DraftValue? {
    let password = mail["password"]
    if let value = password?["value"]?.text, !value.isEmpty {
      return .text(MailAction.literal(value))
    }
    let name = "MAIL_PASSWORD"
    let value: DraftValue
    if let file = password?["fromFile"]?.text, file.hasPrefix("/") {
      value = .mapping(["file": .text(file)])
    } else if let variable = password?["fromEnvVar"]?.text, variable.isVariableName {
      value = .mapping(["env": .text(variable)])
    } else {
      return nil
    }
    if let secret, secret.value != value { return nil }
    secret = (name, value)
    return .text("{{secret.\(name)}}")
  }

  /// Accepts a subject with no other template than the job's name; nil for another.
  private static func subject(_ text: String) -> String? {
    var text = text[...].trimmed
    for name in ["{{name}}", "{{ name }}"] { text = text.replacing(name, with: "{{job}}") }
    let rest = text.replacing("{{job}}", with: "")
    let isPlain = rest.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
    return isPlain && !rest.contains("{{") && !rest.contains("{%") && !text.isEmpty ? text : nil
  }
}
