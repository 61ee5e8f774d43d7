import ArgumentParser

struct PluginsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugins",
    abstract: "List, show, check, make and try plugins.",
    discussion: """
      Plugins are looked for where the jobs file says, by default in plugins/ beside it. \
      plugins/PROTOCOL.md says how one is written.
      """,
    subcommands: [
      PluginListCommand.self, PluginShowCommand.self, PluginCheckCommand.self,
      PluginNewCommand.self, PluginTestCommand.self,
    ])
}
