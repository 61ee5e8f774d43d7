import TaktCore

/// What a load asks besides the files themselves; answers are kept for as long as it lasts.
final class LoadSources {
  let actions: ActionTable
  let zones: ZoneTable
  /// When the load began.
  let now: WallInstant
  let accounts: AccountTable
  let environmentFiles: EnvironmentFiles
  let plugins: PluginTable

  init(
    actions: ActionTable, zones: ZoneTable, now: WallInstant, accounts: AccountTable,
    environmentFiles: EnvironmentFiles, plugins: PluginTable
  ) {
    self.actions = actions
    self.zones = zones
    self.now = now
    self.accounts = accounts
    self.environmentFiles = environmentFiles
    self.plugins = plugins
  }
}
