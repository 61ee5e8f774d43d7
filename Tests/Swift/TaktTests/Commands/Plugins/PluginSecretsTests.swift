import Foundation
import Glibc
import Testing

/// Secrets of a plugin, which are in no record, whatever the plugin does with them.
@Suite(.ownThreads) struct PluginSecretsTests {
  private static let program = #"""
    #!/usr/bin/env python3
    import json, os, sys
    channel = os.fdopen(3, "w", buffering=1)
    def say(**message):
        channel.write(json.dumps(message) + "\n")
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say(type="hello", protocol=1)
        elif message["type"] == "start":
            run, given = message["run"], message["parameters"]
            for secret in (given["key"], given["text"]):
                print("out", secret, flush=True)
                print("err", secret, file=sys.stderr, flush=True)
                say(type="error", code="x", message=secret)
                say(type="log", run=run, message=secret)
                say(type="progress", run=run, percent=1, message=secret)
                say(type="metric", run=run, name=secret, value=1, unit=secret)
            names = " ".join(name for name in os.environ if name.startswith("TAKT_PARAM"))
            say(type="log", run=run, message="variables: " + names)
            say(type="result", run=run, status="failed", reason=given["key"], message=secret)
            if os.environ["TAKT_PLUGIN"] == "once":
                sys.exit(0)
        elif message["type"] == "shutdown":
            break
    """#

  @Test func `secrets are masked in all that a plugin prints and says`() throws {
    let folder = try TemporaryFolder()
    let token = try folder.write("token-of-file\n", to: "token")
    #expect(chmod(token, 0o600) == 0)
    for (name, mode) in [("once", "oneshot"), ("many", "service")] {
      let place = folder.url.appendingPathComponent("plugins/\(name)")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try folder.write(
        """
        name: \(name)
        version: 1.0.0
        protocol: 1
        mode: \(mode)
        exec: [./program]
        parameters:
          key: {type: string, secret: true}
          text: {type: string}
          plain: {type: string, default: shown}
        """, to: "plugins/\(name)/plugin.yaml")
      try folder.writeProgram(Self.program, to: "plugins/\(name)/program")
    }
    try folder.write(
      """
      defaults:
        secrets: {TOKEN: {file: token}}
        on_failure: {use: log, with: {message: "because of {{reason}}"}}
      jobs:
        once: {on: start, use: once, with: {key: word-of-file, text: "{{secret.TOKEN}}"}}
        many: {on: start, use: many, with: {key: word-of-file, text: "{{secret.TOKEN}}"}}
      """)
    let takt = try TaktProcess(["run"], in: folder)
    var text = ""
    takt.onBytes = { text += String(decoding: $0, as: UTF8.self) }
    var hooks = 0
    while hooks < 2 {
      let line = try takt.line("the hooks") { $0.line?.hasPrefix("because of") == true }
      #expect(line.line == "because of plugin(failed)")
      hooks += 1
    }
    #expect(try takt.stop() == 0)
    #expect(text.contains("out ***") && text.contains("err ***"))
    #expect(text.contains("variables: TAKT_PARAM_PLAIN\""))
    #expect(!text.contains("word-of-file"))
    #expect(!text.contains("token-of-file"))
  }
}
