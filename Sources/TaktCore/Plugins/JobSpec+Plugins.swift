extension JobSpec {
  /// The plugins that the job and its hooks use.
  public var plugins: [PluginManifest] {
    (action.steps + hooks.values.joined()).compactMap { step in
      if case .plugin(let manifest, _) = step.action { manifest } else { nil }
    }
  }
}
