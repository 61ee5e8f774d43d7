import CTaktBuild

enum PluginTemplate {
  struct File {
    var path: String
    var text: String
    var isProgram = false
  }

  static func files(of name: String, in language: PluginNewCommand.Language) -> [File] {
    [File(path: "plugin.yaml", text: manifest(name, language))] + program(name, language)
  }

  private static func manifest(_ name: String, _ language: PluginNewCommand.Language) -> String {
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

  /// From the files in `CTaktBuild/plugin`.
  private static func program(_ name: String, _ language: PluginNewCommand.Language) -> [File] {
    func text(_ embedded: UnsafePointer<CChar>) -> String {
      String(cString: embedded).replacing("NAME", with: name)
    }
    return switch language {
    case .sh: [File(path: name, text: text(takt_plugin_shell()), isProgram: true)]
    case .python: [File(path: name, text: text(takt_plugin_python()), isProgram: true)]
    case .swift:
      [
        File(path: "Package.swift", text: text(takt_plugin_swift_package())),
        File(path: "Sources/\(name)/main.swift", text: text(takt_plugin_swift_main())),
        File(path: "run", text: text(takt_plugin_swift_run()), isProgram: true),
      ]
    }
  }
}
