// swift-tools-version: 6.2
import PackageDescription

// Warnings stop the build in CI only: a newer compiler must not keep a user from building.
let strict: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

// Only packages have it: a debug build would compile again after each commit.
let commit: [CSetting] =
  Context.environment["TAKT_COMMIT"].map { [.define("TAKT_COMMIT", to: "\"\($0)\"")] } ?? []

// Of takt's own C, where it is optimized: bounds of memory and text are checked as it runs. The
// Makefile adds what a package with fixed flags could not be used by others for.
let fortified: [CSetting] =
  [.define("_FORTIFY_SOURCE", to: "3", .when(platforms: [.linux], configuration: .release))]
  + (Context.environment["TAKT_C_FLAGS"].map {
    [.unsafeFlags($0.split(separator: " ").map(String.init))]
  } ?? [])

let package = Package(
  name: "takt",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "takt", targets: ["takt"]),
    .executable(name: "swift-hello", targets: ["swift-hello"]),
    .library(name: "TaktPlugin", targets: ["TaktPlugin"]),
    .library(name: "TimerMachine", targets: ["TimerMachine", "TaktTime"]),
    .library(name: "TimerMachineTesting", targets: ["TimerMachineTesting"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    // From the top of the house to the ground; a target depends only on what stands below it.
    .executableTarget(
      name: "takt",
      dependencies: [
        "TaktControl", "TaktAPI", "TaktPicture", "TaktImport", "TaktEngine", "TaktClaims",
        "TaktStore", "TaktConfig", "TaktCore", "TaktSystem", "TaktTransfer", "TimerMachine",
        "TaktTime",
        "CWithoutICU", "CTaktBuild",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .target(
      name: "TaktControl",
      dependencies: [
        "TaktAPI", "TaktCore", "TaktSystem", "TaktTime", "TimerMachine",
        "CTaktPage", .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      swiftSettings: strict),
    // The objects of the API, each declared once: written, read and described from there.
    .target(name: "TaktAPI", dependencies: ["TaktCore", "TaktTime"], swiftSettings: strict),
    // Timelines as SVG.
    .target(
      name: "TaktPicture", dependencies: ["TaktCore", "TaktTime"], swiftSettings: strict),
    // Crontabs, systemd units and others as jobs files, and back.
    .target(
      name: "TaktImport", dependencies: ["TaktCore", "TaktSystem", "TaktTime"],
      swiftSettings: strict),
    .target(
      name: "TaktEngine",
      dependencies: [
        "TaktCore", "TaktSystem", "TaktTime", "TaktTransfer", "TimerMachine",
        "CTaktSystem",
      ],
      swiftSettings: strict),
    .target(
      name: "TaktStore",
      dependencies: [
        "TaktCore", "TaktSystem", "TaktTime", "TimerMachine",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
    // Claims of slots over machines: drivers of engines.
    .target(
      name: "TaktClaims",
      dependencies: ["TaktCore", "TaktSystem", "TaktTime", "TaktTransfer", "CTaktClaims"],
      swiftSettings: strict),
    .target(
      name: "TaktConfig", dependencies: ["TaktCore", "TaktSystem", "TaktTime", "CLibYAML"],
      swiftSettings: strict),
    .target(
      name: "TaktCore",
      dependencies: [
        "TimerMachine", "TaktTime", .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: strict),
    // What takt asks of the operating system; knows no job.
    .target(
      name: "TaktSystem", dependencies: ["TaktTime", "CTaktSystem", "CLibMD"], swiftSettings: strict
    ),
    .target(
      name: "TimerMachine",
      dependencies: [
        "TaktTime", .target(name: "CTimerFD", condition: .when(platforms: [.linux])),
      ],
      path: "Sources/Timers/TimerMachine", swiftSettings: strict),
    // Instants, civil time and zones: everybody's, and above nothing.
    .target(name: "TaktTime", path: "Sources/Timers/TaktTime", swiftSettings: strict),
    // HTTP and mail by libcurl, which is loaded when it is first needed and never linked.
    .target(name: "TaktTransfer", dependencies: ["CTaktTransfer"], swiftSettings: strict),
    .systemLibrary(
      name: "CLibYAML", path: "Sources/C/CLibYAML", pkgConfig: "yaml-0.1",
      providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(
      name: "CLibMD", path: "Sources/C/CLibMD", pkgConfig: "libmd", providers: [.apt(["libmd-dev"])]
    ),
    .target(name: "CTimerFD", path: "Sources/C/CTimerFD", cSettings: fortified),
    .target(name: "CTaktSystem", path: "Sources/C/CTaktSystem", cSettings: fortified),
    .target(name: "CWithoutICU", path: "Sources/C/CWithoutICU"),
    // The commit, the versions of libraries that are loaded when they are needed, and the files of a
    // new plugin.
    .target(
      name: "CTaktBuild", path: "Sources/C/CTaktBuild", exclude: ["plugin"], cSettings: commit),
    .target(name: "CTaktTransfer", path: "Sources/C/CTaktTransfer", cSettings: fortified),
    // libpq, which is loaded when it is first needed and never linked.
    .target(
      name: "CTaktClaims", path: "Sources/C/CTaktClaims", exclude: ["schema"], cSettings: fortified),
    // The web page, within the program.
    .target(name: "CTaktPage", path: "Sources/C/CTaktPage", exclude: ["page"]),

    // A plugin in Swift, and what such plugins are made with.
    .executableTarget(
      name: "swift-hello", dependencies: ["TaktPlugin"], path: "Tools/swift-hello",
      swiftSettings: strict),
    .target(name: "TaktPlugin", swiftSettings: strict),

    // The example, which is a package of its own too: built here so that CI need not build twice.
    .executableTarget(
      name: "example-kitchen", dependencies: ["TimerMachine"], path: "Examples/Sources/kitchen",
      swiftSettings: strict),
    // The workloads whose instructions `make bench-gate` counts.
    .executableTarget(
      name: "gate-bench",
      dependencies: [
        "TaktControl", "TaktAPI", "TaktEngine", "TaktStore", "TaktConfig", "TaktCore",
        "TaktSystem", "TaktTesting", "TaktTime", "TimerMachine", "TimerMachineTesting",
        "CUnderValgrind",
      ], path: "Tools/gate-bench",
      swiftSettings: strict),
    // How those workloads count all threads, and start children, under valgrind.
    .target(name: "CUnderValgrind", path: "Tools/CUnderValgrind"),
    .executableTarget(
      name: "schedule-bench", dependencies: ["TaktCore", "TaktTime"], path: "Tools/schedule-bench",
      swiftSettings: strict),
    .executableTarget(
      name: "timer-fuzz", dependencies: ["TimerMachine", "TimerMachineTesting", "TaktTime"],
      path: "Tools/timer-fuzz",
      swiftSettings: strict),
    // What enters takt from outside, for libFuzzer.
    .executableTarget(
      name: "boundary-fuzz",
      dependencies: [
        "TaktControl", "TaktImport", "TaktEngine", "TaktStore", "TaktConfig", "TaktClaims",
        "TaktTransfer", "TaktTesting", "TaktCore", "TaktSystem", "TaktTime", "CFuzzer",
        .product(name: "GRDB", package: "GRDB.swift"),
      ], path: "Tools/boundary-fuzz",
      swiftSettings: strict),
    // libFuzzer, where it is linked.
    .target(name: "CFuzzer", path: "Tools/CFuzzer"),
    // The machines of a cluster in virtual time, by many seeds.
    .executableTarget(
      name: "cluster-storm", dependencies: ["TaktCore", "TaktTesting"], path: "Tools/cluster-storm",
      swiftSettings: strict),
    // All that a small cluster can do.
    .executableTarget(
      name: "cluster-explore", dependencies: ["TaktCore", "TaktTesting"],
      path: "Tools/cluster-explore", swiftSettings: strict),
    .target(
      name: "TimerMachineTesting", dependencies: ["TimerMachine", "TaktTime"],
      path: "Sources/Timers/TimerMachineTesting",
      swiftSettings: strict),
    // A process with a guard, for tests that kill it.
    .executableTarget(
      name: "guard-host", dependencies: ["TaktEngine", "TaktCore", "TaktTime"],
      path: "Tools/guard-host",
      swiftSettings: strict),
    .target(
      name: "TaktTesting", dependencies: ["TaktCore", "TaktTime", "TimerMachine"],
      path: "Tests/Swift/TaktTesting",
      swiftSettings: strict),

    // Servers of other makers that tests start, and files of the repository.
    .target(name: "TestSupport", path: "Tests/Swift/TestSupport", swiftSettings: strict),
    .testTarget(
      name: "TimerMachineTests",
      dependencies: ["TimerMachine", "TimerMachineTesting", "TaktTime"],
      path: "Tests/Swift/TimerMachineTests",
      swiftSettings: strict),
    .testTarget(
      name: "TaktCoreTests", dependencies: ["TaktCore", "TaktTime", "TaktTesting", "TestSupport"],
      path: "Tests/Swift/TaktCoreTests",
      swiftSettings: strict),
    .testTarget(
      name: "TaktSystemTests", dependencies: ["TaktSystem", "TaktTesting", "TestSupport"],
      path: "Tests/Swift/TaktSystemTests", swiftSettings: strict),
    .testTarget(
      name: "TaktConfigTests",
      dependencies: [
        "TaktConfig", "TaktCore", "TaktSystem", "TaktTime", "TaktTesting", "TestSupport",
      ],
      path: "Tests/Swift/TaktConfigTests",
      swiftSettings: strict),
    .testTarget(
      name: "TaktTransferTests", dependencies: ["TaktTransfer"],
      path: "Tests/Swift/TaktTransferTests", swiftSettings: strict),
    .testTarget(
      name: "TaktEngineTests",
      dependencies: [
        "TaktEngine", "TaktCore", "TaktTime", "TaktTransfer", "TaktTesting", "TimerMachine",
        "TimerMachineTesting", "CTaktSystem", "guard-host", "TestSupport",
      ], path: "Tests/Swift/TaktEngineTests",
      swiftSettings: strict),
    .testTarget(
      name: "TaktStoreTests",
      dependencies: [
        "TaktStore", "TaktCore", "TaktTime", "TaktTesting",
        .product(name: "GRDB", package: "GRDB.swift"), "TestSupport",
      ], path: "Tests/Swift/TaktStoreTests",
      swiftSettings: strict),
    .testTarget(
      name: "TaktClaimsTests",
      dependencies: [
        "TaktClaims", "TaktCore", "TaktSystem", "TaktTime", "TaktTransfer", "TaktTesting",
        "TestSupport",
      ], path: "Tests/Swift/TaktClaimsTests",
      swiftSettings: strict),
    .testTarget(
      name: "TaktAPITests", dependencies: ["TaktAPI", "TaktCore", "TaktTime"],
      path: "Tests/Swift/TaktAPITests",
      swiftSettings: strict),
    .testTarget(
      name: "TaktControlTests",
      dependencies: [
        "TaktControl", "TaktAPI", "TaktEngine", "TaktCore", "TaktSystem", "TaktTime",
        "TaktTesting",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "HTTPTypes", package: "swift-http-types"), "TestSupport",
      ], path: "Tests/Swift/TaktControlTests",
      swiftSettings: strict),
    .testTarget(
      name: "TaktPictureTests", dependencies: ["TaktPicture", "TaktCore", "TaktTime"],
      path: "Tests/Swift/TaktPictureTests",
      swiftSettings: strict),
    .testTarget(
      name: "TaktImportTests",
      dependencies: [
        "TaktImport", "TaktConfig", "TaktCore", "TaktEngine", "TaktSystem", "TaktTime",
      ],
      path: "Tests/Swift/TaktImportTests",
      swiftSettings: strict),
    .testTarget(
      name: "TaktTests",
      dependencies: [
        "takt", "TaktControl", "TaktEngine", "TaktStore", "TaktConfig", "TaktCore", "TaktTime",
        "TaktTesting", "TestSupport", "TimerMachine",
      ], path: "Tests/Swift/TaktTests",
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
