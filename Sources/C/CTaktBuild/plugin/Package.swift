// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "NAME",
  platforms: [.macOS(.v15)],
  // The folder of takt's own sources.
  dependencies: [.package(name: "takt", path: "../..")],
  targets: [
    .executableTarget(
      name: "NAME", dependencies: [.product(name: "TaktPlugin", package: "takt")])
  ]
)
