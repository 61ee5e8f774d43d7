internal import CLibYAML

/// The library that reads YAML.
package enum YAMLLibrary {
  package static var version: String { String(cString: yaml_get_version_string()) }
}
