/// What a new plugin consists of.
enum PluginTemplate {
  struct File {
    var path: String
    var text: String
    var isProgram = false
  }

  static func files(of name: String, in language: PluginNewCommand.Language) -> [File] {
    [File(path: "plugin.yaml", text: manifest(name, language))] + program(name, language)
  }

  private static func manifest(
    _ name: String, _ language: PluginNewCommand.Language
  ) -> String {
    """
    name: \(name)
    version: 0.1.0
    protocol: 1
    summary: Greets.
    mode: \(language == .swift ? "service" : "oneshot")
    exec: [./\(language == .swift ? "run" : name)]
    parameters:
      who: {type: string, default: world, reaches: nothing, summary: The name to greet.}

    """
  }

  private static func program(
    _ name: String, _ language: PluginNewCommand.Language
  ) -> [File] {
    switch language {
    case .sh:
      return [
        File(
          path: name,
          text: #"""
            #!/bin/sh
            # Parameters are in the environment; what is printed is the run's output.
            # Descriptor 3 takes messages; without any, the exit status is the result.
            echo '{"type":"hello","protocol":1}' >&3
            echo "hello $TAKT_PARAM_WHO"
            echo '{"type":"result","status":"ok"}' >&3

            """#, isProgram: true)
      ]
    case .python:
      return [
        File(
          path: name,
          text: #"""
            #!/usr/bin/env python3
            """Greets. The host says hello and start, a line each; answers go to descriptor 3."""
            import json
            import os
            import sys

            channel = os.fdopen(3, "w", buffering=1)


            def say(**message):
                channel.write(json.dumps(message) + "\n")


            sys.stdin.readline()
            start = json.loads(sys.stdin.readline())
            run = start["run"]
            say(type="hello", protocol=1)
            print("hello", start["parameters"]["who"])
            say(type="progress", run=run, percent=100)
            say(type="result", run=run, status="ok")

            """#, isProgram: true)
      ]
    case .swift:
      return [
        File(
          path: "Package.swift",
          text: """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
              name: "\(name)",
              platforms: [.macOS(.v15)],
              // The folder of takt's own sources.
              dependencies: [.package(name: "takt", path: "../..")],
              targets: [
                .executableTarget(
                  name: "\(name)", dependencies: [.product(name: "TaktPlugin", package: "takt")])
              ]
            )

            """),
        File(
          path: "Sources/\(name)/main.swift",
          text: """
            import TaktPlugin

            await Plugin(name: "\(name)", version: "0.1.0").serve { run in
              run.log("hello \\(run.text("who") ?? "world")")
              return .ok
            }

            """),
        File(
          path: "run",
          text: """
            #!/bin/sh
            # Build it first: swift build -c release --package-path plugins/\(name)
            exec "$(dirname "$0")/.build/release/\(name)"

            """, isProgram: true),
      ]
    }
  }
}
