// swift-tools-version: 6.2
import PackageDescription

// A program that depends on TimerMachine alone, as any other program could.
let package = Package(
  name: "takt-examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "takt", path: "..")],
  targets: [
    .executableTarget(
      name: "kitchen", dependencies: [.product(name: "TimerMachine", package: "takt")])
  ],
  swiftLanguageModes: [.v6]
)
