import TaktCore

/// Access over TCP, and through a proxy.
extension SettingsBuilder {
  /// The default name of the token's file in the state folder.
  private static let standardTokenFile = "token"

  func proxy(_ fields: KeyFields, at mark: YAMLMark) -> ProxyLogin {
    var proxy = ProxyLogin()
    for field in fields.fields {
      switch (field.name, field.value) {
      case (Key.header, .text(let name)):
        proxy.header = name
        if !ProxyLogin.isHeader(name) {
          reporter.report(
            .badValue, at: field.mark, "'\(name.shortened)' cannot be the header of a user",
            hint: "write a name of letters, digits and '-' without another meaning, such as "
              + ProxyLogin.defaultHeader)
        }
      case (Key.socket, .text(let path)): proxy.socket = socket(path, at: field.mark)
      case (Key.user, .text(let name)):
        proxy.user = sources.accounts.account(UserAndGroup(user: name))?.uid
        if proxy.user == nil {
          reporter.report(
            .unknownAccount, at: field.mark, "there is no user '\(name.shortened)'",
            hint: "write a name or number listed by 'getent passwd'")
        }
      case (Key.secretFile, .text(let path)):
        proxy.secretFile = FilePath.absolute(FilePath.join(folder, path))
      case (Key.users, .map(let users)): proxy.users = rights(of: users)
      case (Key.others, .text(let word)): proxy.others = ProxyLogin.Right(rawValue: word)
      default: break
      }
    }
    checkProof(fields, at: mark)
    return proxy
  }

  /// Refuses a header that any client could send.
  private func checkProof(_ fields: KeyFields, at mark: YAMLMark) {
    guard !fields.hasUnknownKeys else { return }
    let (socket, user) = (fields[Key.socket], fields[Key.user])
    if let socket, user == nil {
      reporter.report(
        .missingKey, at: socket.keyMark, "'\(Key.socket)' needs '\(Key.user)'",
        hint: "add the user that the proxy runs as, such as '\(Key.user): www-data'")
    } else if let user, socket == nil {
      reporter.report(
        .missingKey, at: user.keyMark, "'\(Key.user)' needs '\(Key.socket)'",
        hint: "add '\(Key.socket): PATH'")
    } else if socket == nil, fields[Key.secretFile] == nil {
      reporter.report(
        .missingKey, at: mark, "'\(Key.proxy)' needs '\(Key.socket)' or '\(Key.secretFile)'",
        hint: "without one, every user of the machine could send the header")
    }
  }

  private func rights(of users: [KeyValue.MapField]) -> [String: ProxyLogin.Right] {
    var rights: [String: ProxyLogin.Right] = [:]
    for user in users {
      guard ProxyLogin.isName(user.name) else {
        reporter.report(
          .badName, at: user.nameMark, "'\(user.name.shortened)' is not a valid name of a user",
          hint: "a name has 1 to \(ProxyLogin.nameBytesMax) ASCII characters, and no comma")
        continue
      }
      rights[user.name] = user.value?.choice()
    }
    return rights
  }

  /// Refuses one file for tokens of different rights.
  func checkTokens(of settings: SchedulerSettings, in fields: KeyFields) {
    guard let http = settings.http else { return }
    let httpFields = fields[Key.http]?.value?.object
    var full = http.tokenFile
    if full == nil, case .folder(let folder)? = settings.state {
      full = FilePath.join(folder, Self.standardTokenFile)
    }
    let proxyFields = httpFields?[Key.proxy]?.value?.object
    let files = [
      (Key.readTokenFile, http.readTokenFile, httpFields, "the token that may only read"),
      (
        Key.operateTokenFile, http.operateTokenFile, httpFields,
        "the token that may only operate"
      ),
      (Key.secretFile, http.proxy?.secretFile, proxyFields, "the secret of the proxy"),
    ]
    var known: [String: String] = [:]
    for (key, path, fields, words) in files {
      guard let path else { continue }
      let other = path == full ? Key.tokenFile : known[path]
      known[path] = known[path] ?? key
      guard let other else { continue }
      reporter.report(
        .badValue, at: fields?[key]?.mark ?? .wholeFile,
        path == full && http.tokenFile == nil
          ? "'\(key)' names the file of the token that may do everything"
          : "'\(key)' and '\(other)' name the same file",
        hint: "name another file for \(words)")
    }
    if let path = settings.cluster?.apiTokenFile, path == full {
      reporter.report(
        .suspicious, severity: .warning,
        at: fields[Key.cluster]?.value?.object?[Key.apiTokenFile]?.mark ?? .wholeFile,
        "'\(Key.apiTokenFile)' names the file of the token that may do everything here, and every "
          + "machine of the cluster has it",
        hint: "name another file for the token that may only read")
    }
  }
}
