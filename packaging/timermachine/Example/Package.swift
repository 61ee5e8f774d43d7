// swift-tools-version: 6.2
import PackageDescription

// A program of somebody else's. Instead of the path write
// .package(url: "https://…/timermachine", from: "0.2.0")
let package = Package(
  name: "heartbeat",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: [.package(name: "timermachine", path: "..")],
  targets: [
    .target(
      name: "Heartbeat", dependencies: [.product(name: "TimerMachine", package: "timermachine")]),
    .testTarget(
      name: "HeartbeatTests",
      dependencies: [
        "Heartbeat", .product(name: "TimerMachineTesting", package: "timermachine"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
