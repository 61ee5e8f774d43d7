extension JobSpec {
  /// The plugins that the job and its hooks use.
  package var plugins: [PluginManifest] {
    (action.steps + hooks.values.joined()).compactMap { step in
      if case .plugin(let manifest, _) = step.action { manifest } else { nil }
    }
  }
}
