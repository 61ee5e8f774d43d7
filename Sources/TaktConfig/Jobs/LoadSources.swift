import TaktCore

/// What a load asks besides the files themselves; answers are kept for as long as it lasts.
final class LoadSources {
  let actions: ActionTable
  let zones: any ZoneSource
  let accounts: AccountTable
  let environmentFiles: EnvironmentFiles
  let plugins: PluginTable

  init(
    actions: ActionTable, zones: any ZoneSource, accounts: AccountTable,
    environmentFiles: EnvironmentFiles, plugins: PluginTable
  ) {
    self.actions = actions
    self.zones = zones
    self.accounts = accounts
    self.environmentFiles = environmentFiles
    self.plugins = plugins
  }
}
