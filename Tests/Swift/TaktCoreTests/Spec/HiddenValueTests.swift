import TaktCore
import Testing

/// Commands, environments and parameters as a plan shows them.
@Suite struct HiddenValueTests {
  /// `text | its shown form`
  @Test(arguments: [
    "pg_dump app > app.sql | pg_dump app > app.sql",
    "curl https://me:pw@host/x | curl https://me:***@host/x",
    "curl -u me:pw https://host | curl -u me:*** https://host",
    "curl --user me:pw https://host | curl --user me:*** https://host",
    "tool --password=pw run | tool --password=*** run",
    "tool --api-token pw run | tool --api-token *** run",
    "PGPASSWORD=pw psql | PGPASSWORD=*** psql",
    "DB_PASSWORD='p w' run | DB_PASSWORD='***' run",
    "curl -H 'Authorization: Bearer abc' x | curl -H 'Authorization: Bearer ***' x",
    #"curl -d '{"token":"abc","n":1}' x | curl -d '{"token":"***","n":1}' x"#,
    "curl 'https://host/?api_key=abc&n=1' | curl 'https://host/?api_key=***&n=1'",
    "psql password=pw host=db | psql password=*** host=db",
    "PGPASSWORD=$DB_PASS psql | PGPASSWORD=$DB_PASS psql",
    "curl https://me:$PW@host | curl https://me:$PW@host",
    "echo monkey=1 keyboard=2 | echo monkey=1 keyboard=2",
    "SSH_KEY=abc ssh | SSH_KEY=*** ssh", "echo 12:30: done | echo 12:30: done",
    "PGPASS=pw psql | PGPASS=*** psql", "PGPASSFILE=/etc/pg psql | PGPASSFILE=/etc/pg psql",
    "SLACK_WEBHOOK_URL=https://x/y run | SLACK_WEBHOOK_URL=*** run",
    "GITHUB_PAT=abc gh | GITHUB_PAT=*** gh",
    "mysql -u root -psecret app | mysql -u root -p*** app",
    "mysqldump --all -p app | mysqldump --all -p app", "psql -p 5432 app | psql -p 5432 app",
    "sshpass -p secret ssh host | sshpass -p *** ssh host",
    "sshpass -psecret ssh host | sshpass -p*** ssh host",
    "sshpass -p '$PW' ssh host | sshpass -p '$PW' ssh host",
    "redis-cli -h x -a secret ping | redis-cli -h x -a *** ping", "ls -a x | ls -a x",
    "cat x && redis-cli -a 'a b' ping | cat x && redis-cli -a '***' ping",
    "redis-cli ping; ls -a x | redis-cli ping; ls -a x",
    "[sshpass, -p, secret, ssh] | [sshpass, -p, ***, ssh]",
    "[curl, -u, me:pw, https://host] | [curl, -u, me:***, https://host]",
    "[tool, --api-token, pw, run] | [tool, --api-token, ***, run]",
    #"[curl, -H, "Authorization: token abc", x] | [curl, -H, "Authorization: token ***", x]"#,
    "curl -u 'me:p w' x | curl -u 'me:***' x", "curl -u me x | curl -u me x",
    "curl -H 'Authorization: token abc' x | curl -H 'Authorization: token ***' x",
    "curl -H 'Authorization: Digest a=b, c=d' x | curl -H 'Authorization: Digest ***' x",
    "curl -H 'Cookie: a=b; c=d' x | curl -H 'Cookie: ***' x",
    "curl -b 'sid=abc' x | curl -b '***' x", "curl -b jar.txt x | curl -b jar.txt x",
    "curl 'https://h/?a=1&sig=abc&b=2' | curl 'https://h/?a=1&sig=***&b=2'",
    "curl https://h/?token=abc | curl https://h/?token=***",
    "curl -m 10 https://hc-ping.com/5f1c/start | curl -m 10 https://hc-ping.com/***",
    "curl https://hooks.slack.com/services/T0/B0/xyz -d hi | curl https://hooks.slack.com/services/*** -d hi",
    "smbclient //s/x -U me%pw | smbclient //s/x -U me%***",
    "ldapsearch -x -w secret | ldapsearch -x -w ***", "zip -P secret a.zip b | zip -P *** a.zip b",
    "docker login -u me -p secret | docker login -u me -p ***",
    "docker run -p 80:80 nginx | docker run -p 80:80 nginx",
    "curl --user=me:pw x | curl --user=me:*** x", "wget --user=me:pw x | wget --user=me:*** x",
    "curl --user='me:p w' x | curl --user='me:***' x", "curl -ume:pw x | curl -ume:*** x",
    "curl -u'me:p w' x | curl -u'me:***' x", "curl -fsSu me:pw x | curl -fsSu me:*** x",
    "curl -upw:x host | curl -u*** host", "curl -u pw:x host | curl -u *** host",
    "curl --user=pw: host | curl --user=*** host", "[curl, --user=me:pw] | [curl, --user=me:***]",
    "curl -U me:pw x | curl -U me:*** x", "curl --proxy-user=me:pw x | curl --proxy-user=me:*** x",
    "curl -u me:$PW x | curl -u me:$PW x", "curl -u $USER: x | curl -u $USER: x",
    "curl --oauth2-bearer abc x | curl --oauth2-bearer *** x",
    "openssl enc -aes256 -k pw -in a | openssl enc -aes256 -k *** -in a",
    "openssl enc -kfile pw.txt | openssl enc -kfile pw.txt",
    "openssl rsa -passin pass:pw | openssl rsa -passin pass:***",
    "openssl rsa -passin file:pw | openssl rsa -passin file:pw", "ls -k x | ls -k x",
    "lftp -u me,pw host | lftp -u me,*** host", "keytool -storepass pw | keytool -storepass ***",
    "tool -password pw x | tool -password *** x", "rar a -hppw x | rar a -hp*** x",
    "ssh-keygen -N pw -f k | ssh-keygen -N *** -f k",
    "git clone https://ghp_0123456789abcdef@host/x | git clone https://***@host/x",
    "git clone https://pw:x-oauth-basic@host/x | git clone https://***@host/x",
    "git clone ssh://git@host/x | git clone ssh://git@host/x",
    "curl https://h/a/0123456789abcdef/b | curl https://h/a/***/b",
    "curl https://h/5f1c4a2e-8c0e-4d0b-9a53-0a6a1f1d2c3b?x=1 | curl https://h/***?x=1",
    "curl https://h/hook/AbCdEfGhIjKlMnOpQrStUv | curl https://h/hook/***",
    "curl https://h/token/ab/x | curl https://h/token/***/x",
    "curl https://h/bot12:ab/send | curl https://h/***/send",
    "curl https://h/api/v1/backup-2026-12-24-full.tar.gz | curl https://h/api/v1/backup-2026-12-24-full.tar.gz",
    "curl https://h/{{secret.A}}/x | curl https://h/{{secret.A}}/x",
    "curl https://me:pw@h/0123456789abcdef | curl https://me:***@h/***",
    #"curl -d "{\"password\":\"p w\",\"n\":1}" x | curl -d "{\"password\":\"***\",\"n\":1}" x"#,
    #"sh -c "export API_KEY=\"p w\"; run" | sh -c "export API_KEY=\"***\"; run""#,
    #"curl -d '{"token":"a\"bc","n":1}' x | curl -d '{"token":"***","n":1}' x"#,
    #"DB_PASSWORD='p\' run | DB_PASSWORD='***' run"#,
    #"{\"a\":\"{\\\"secret\\\":\\\"x\\\"}\"} | {\"a\":\"{\\\"secret\\\":\\\"***\\\"}\"}"#,
  ])
  func `passwords and tokens in a text are masked`(row: String) throws {
    let parts = row.components(separated: " | ")
    #expect(SensitiveText.masked(parts[0]) == parts[1])
  }

  @Test func `a value of a sensitive name is masked as a whole, unless it only refers to one`() {
    #expect(SensitiveText.masked("hunter2", of: "DB_PASSWORD") == "***")
    #expect(SensitiveText.masked("hunter2", of: "awsSecretKey") == "***")
    #expect(SensitiveText.masked("{{secret.DB}}", of: "password") == "{{secret.DB}}")
    #expect(SensitiveText.masked("debug", of: "LEVEL") == "debug")
    #expect(SensitiveText.masked("", of: "TOKEN") == "")
  }

  /// `built-in | parameter | its value | its shown form`
  @Test(arguments: [
    "ping | url | https://hc.example.org:8000/5f1c | https://hc.example.org:8000/***",
    "ping | url | https://hc.example.org | https://hc.example.org/***",
    "ping | dsn | https://abc@o1.ingest.sentry.io/42 | https://***@o1.ingest.sentry.io/***",
    "notify | url | https://x.example.org/hook?sig=abc | https://x.example.org/***",
    "notify | token | 123:abc | ***", "notify | user | uQiR | ***",
    "notify | url | {{secret.SLACK}} | {{secret.SLACK}}",
    "notify | url | https://hooks/{{secret.A}}/x | https://hooks/***", "notify | chat | -1 | -1",
    "http | url | https://host/x | https://host/x", "mail | password | https://x | ***",
  ])
  func `what a built-in keeps secret is masked, whatever it looks like`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    let spec = try spec(.use(parts[0], [parts[1]: .string(parts[2])]))
    let empty = try self.spec(.use(parts[0], [:]))
    #expect(changes("with", from: empty, to: spec) == ["with.\(parts[1]): none → \(parts[3])"])
    var pinged = empty
    pinged.policies.pings = [Step(spec.action)]
    #expect(
      changes("ping", from: empty, to: pinged).contains(
        "ping[1].with.\(parts[1]): none → \(parts[3])"))
  }

  /// `a word, as it is | the command, as it is shown`
  @Test(arguments: [
    #"{"password":"pw"} | [curl, -d, "{\"password\":\"***\"}"]"#,
    #"export API_KEY="p w"; mysql --password="pw" | [curl, -d, "export API_KEY=\"***\"; mysql --password=\"***\""]"#,
    #"mysql -u root -psecret app | [curl, -d, "mysql -u root -p*** app"]"#,
    #"redis-cli -a 'p w' ping | [curl, -d, "redis-cli -a '***' ping"]"#,
  ])
  func `a word of a list is masked as the command that it may be`(row: String) throws {
    let parts = row.components(separated: " | ")
    let shown = Action.argv(["curl", "-d", parts[0]]).shownParts
    #expect(shown.map(\.shown) == [parts[1]])
    let words = ["curl", "-d", parts[0]].map { ParameterValue.string($0) }
    let use = Action.use("http", ["words": .list(words)])
    #expect(use.shownParts.last?.shown == parts[1])
  }

  private func changes(_ key: String, from old: JobSpec, to new: JobSpec) -> [String] {
    JobKey.hiddenChanges(of: key, from: old, to: new).map {
      "\($0.path): \($0.from ?? "none") → \($0.to ?? "none")"
    }
  }

  private func spec(_ action: Action, _ execution: Execution = Execution()) throws -> JobSpec {
    JobSpec(
      name: try #require(JobName("a")), timing: Timing(schedule: Schedule()), action: action,
      execution: execution)
  }

  @Test func `a changed command shows both`() throws {
    let (old, new) = (try spec(.shell("echo a")), try spec(.argv(["echo", "a b"])))
    #expect(changes("run", from: old, to: new) == [#"run: echo a → [echo, "a b"]"#])
    #expect(changes("cron", from: old, to: new) == [])
  }

  @Test func `each variable and each secret's source that changed is shown`() throws {
    var (before, after) = (Execution(), Execution())
    before.environment = ["A": "1", "B": "2", "TOKEN": "old"]
    after.environment = ["A": "1", "B": "3", "C": "4", "TOKEN": "new"]
    before.secrets = ["PW": Secret(.file("/run/a"))]
    after.secrets = ["PW": Secret(.environment("X"), delivery: .file)]
    let (old, new) = (try spec(.shell("x"), before), try spec(.shell("x"), after))
    #expect(
      changes("env", from: old, to: new) == [
        "env.B: 2 → 3", "env.TOKEN: *** → ***", "env.C: none → 4",
      ])
    #expect(changes("secrets", from: old, to: new) == ["secrets.PW: file /run/a → env X, as file"])
  }

  @Test func `steps and hooks show the action that changed`() throws {
    let url = { (text: String) -> Action in
      .use("http", ["url": .string(text), "password": .string(text)])
    }
    var (old, new) = (
      try spec(.steps([Step(.shell("a")), Step(url("http://x"))])),
      try spec(.steps([Step(.shell("a"), isFailureIgnored: true), Step(url("http://y"))]))
    )
    old.hooks = [.onFailure: [Step(.shell("mail"))]]
    new.hooks = [.onFailure: [Step(.shell("mail")), Step(.shell("page"))]]
    #expect(
      changes("steps", from: old, to: new) == [
        "steps[2].with.password: *** → ***", "steps[2].with.url: http://x → http://y",
        "steps[1].continue: none → ignore",
      ])
    #expect(changes("on_failure", from: old, to: new) == ["on_failure[2].run: none → page"])
  }

  @Test func `a plan keeps the job as it was, and logs none of this`() throws {
    let (old, new) = (try spec(.shell("echo a")), try spec(.shell("echo b")))
    let plan = ReloadPlan(from: Snapshot(jobs: [old]), to: Snapshot(jobs: [new]))
    let detail = try #require(plan.steps.first?.details.first)
    #expect(detail.key == "run" && detail.from == nil && detail.to == nil)
    #expect(plan.steps[0].hiddenChanges(of: detail).map(\.to) == ["echo b"])
  }

  @Test func `a very long command is cut`() throws {
    let long = String(repeating: "x", count: 5000)
    let change = try #require(
      JobKey.hiddenChanges(of: "run", from: try spec(.shell("a")), to: try spec(.shell(long))).first
    )
    #expect(change.to?.hasSuffix("… (1000 more characters)") == true)
  }
}

extension String {
  fileprivate func components(separated separator: String) -> [String] {
    split(separator: separator, maxSplits: 1).map(String.init)
  }
}
