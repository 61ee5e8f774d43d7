import ArgumentParser
import Foundation
import TaktCore

struct PluginNewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Make a plugin that works, to begin with.")

  /// A language that there is a beginning in.
  enum Language: String, CaseIterable, ExpressibleByArgument {
    case sh, python, swift
  }

  @Argument(help: "The plugin's name: lower-case letters, digits and '-'.")
  var name: String

  @Option(help: "The language it is written in.")
  var lang = Language.sh

  @Option(help: "The folder of plugins to make it in.")
  var folder = "plugins"

  func validate() throws {
    let isName =
      (1...64).contains(name.utf8.count) && name.first?.isLetter == true
      && name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
    guard isName else {
      throw ValidationError(
        "'\(name)' cannot name a plugin: use lower-case letters, digits and '-', a letter first.")
    }
  }

  func run() throws {
    let place = "\(folder)/\(name)"
    let files = FileManager.default
    guard !files.fileExists(atPath: place) else {
      Console.error("takt: \(place) is there already")
      throw ExitCode.usage
    }
    do {
      for file in PluginTemplate.files(of: name, in: lang) {
        let path = "\(place)/\(file.path)"
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try files.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try file.text.write(toFile: path, atomically: true, encoding: .utf8)
        try files.setAttributes(
          [.posixPermissions: file.isProgram ? 0o755 : 0o644], ofItemAtPath: path)
        Console.print(path)
      }
    } catch {
      Console.error("takt: cannot make \(place): \(error.localizedDescription)")
      throw ExitCode.system
    }
    Console.print("try it: takt plugins test \(name) --with who=me")
  }
}

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
      who: {type: string, default: world, summary: Whom to greet.}

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
