// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that no one who depends on takt resolves or builds what only measures.
let package = Package(
  name: "takt-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "takt", path: "..")],
  targets: [
    .executableTarget(name: "takt-bench", dependencies: ["BenchFigures"]),
    .executableTarget(
      name: "timer-bench",
      dependencies: [
        "BenchFigures", "CBareTimer", .product(name: "TimerMachine", package: "takt"),
      ]),
    .target(name: "CBareTimer"),
    .executableTarget(name: "storm-bench", dependencies: ["BenchFigures", "CStorm"]),
    .target(name: "CStorm"),
    .executableTarget(name: "plugin-bench", dependencies: ["BenchFigures", "CEcho"]),
    .target(name: "CEcho"),
    .target(name: "BenchFigures"),
  ],
  swiftLanguageModes: [.v6]
)
