// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "timermachine",
  // The first that have Swift's `Synchronization`.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "TimerMachine", targets: ["TimerMachine", "TaktTime"]),
    .library(name: "TimerMachineTesting", targets: ["TimerMachineTesting"]),
  ],
  targets: [
    .target(
      name: "TimerMachine",
      dependencies: [
        "TaktTime", .target(name: "CTimerFD", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: strict),
    .target(name: "TaktTime", swiftSettings: strict),
    .target(name: "CTimerFD"),
    .target(
      name: "TimerMachineTesting", dependencies: ["TimerMachine", "TaktTime"],
      swiftSettings: strict),
    .testTarget(
      name: "TimerMachineTests",
      dependencies: ["TimerMachine", "TimerMachineTesting", "TaktTime"],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
