// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that no one who depends on takt resolves or builds what only measures.
let package = Package(
  name: "takt-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "takt", path: "..")],
  targets: [
    .executableTarget(name: "takt-bench"),
    .executableTarget(
      name: "timer-bench",
      dependencies: ["CBareTimer", .product(name: "TimerMachine", package: "takt")]),
    .target(name: "CBareTimer"),
    .executableTarget(name: "storm-bench", dependencies: ["CStorm"]),
    .target(name: "CStorm"),
    .executableTarget(name: "plugin-bench", dependencies: ["CEcho"]),
    .target(name: "CEcho"),
  ],
  swiftLanguageModes: [.v6]
)
