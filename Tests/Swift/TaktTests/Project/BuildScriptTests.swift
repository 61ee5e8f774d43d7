import Foundation
import TestSupport
import Testing

/// `make build` and `make run`, with a stand-in for the compiler in a folder with a space in its name.
@Suite(.ownThreads) struct BuildScriptTests {
  private struct End {
    var status: Int32
    var output: String
    var errors: String
  }

  /// A copy of the Makefile and its scripts, with one source file.
  private struct Project {
    private static let repository = Repository.root
    private let temporary: TemporaryFolder
    private let folder: URL

    init() throws {
      temporary = try TemporaryFolder()
      folder = temporary.url.appendingPathComponent("a folder")
      let files = FileManager.default
      try files.createDirectory(
        at: folder.appendingPathComponent("Sources/takt"), withIntermediateDirectories: true)
      for name in ["Makefile", "scripts", "packaging"] {
        try files.copyItem(
          at: Self.repository.appendingPathComponent(name),
          to: folder.appendingPathComponent(name))
      }
      try write("", to: "Package.swift")
      try write("good", to: "Sources/takt/a.swift")
      try temporary.writeProgram(Self.compiler, to: "a folder/compiler")
    }

    /// Builds a shell script as `takt`, unless the source is bad.
    private static let compiler = """
      #!/bin/sh
      [ "$1" = --version ] && { cat version 2>/dev/null; exit; }
      echo "$*" >>calls
      mkdir -p .build/debug
      echo '[1/2] Compiling takt a.swift'
      if grep -q bad Sources/takt/a.swift; then
        for i in 1 2; do printf '/a.swift:1:1: error: this is bad\\n1 | bad\\n'; done
        exit 1
      fi
      grep -q odd Sources/takt/a.swift && echo '/a.swift:1:1: warning: this is odd'
      printf '#!/bin/sh\\necho "program $*"\\n' >.build/debug/$3
      chmod +x .build/debug/$3
      echo "Build of product '$3' complete! (0.1s)"

      """

    func write(_ text: String, to name: String) throws {
      try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }

    func remove(_ name: String) throws {
      try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }

    /// The number of builds by the compiler.
    var builds: Int {
      let calls = try? String(contentsOf: folder.appendingPathComponent("calls"), encoding: .utf8)
      return calls?.split(separator: "\n").count ?? 0
    }

    func make(_ target: String) throws -> End {
      let output = folder.appendingPathComponent("output")
      let errors = folder.appendingPathComponent("errors")
      try write("", to: "output")
      try write("", to: "errors")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      // A test must not install anything.
      process.arguments = ["make", "PACKAGES=", target]
      process.currentDirectoryURL = folder
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["SWIFT": "./compiler", "MAKEFLAGS": "", "MAKELEVEL": "0"]) { $1 }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = try FileHandle(forWritingTo: output)
      process.standardError = try FileHandle(forWritingTo: errors)
      try process.run()
      process.waitUntilExit()
      return End(
        status: process.terminationStatus,
        output: try String(contentsOf: output, encoding: .utf8),
        errors: try String(contentsOf: errors, encoding: .utf8))
    }
  }

  @Test func `make run says how far it is, how to reload, and runs takt`() throws {
    let end = try Project().make("run")
    #expect(end.status == 0, "\(end)")
    #expect(end.output.contains("building takt: "), "\(end)")
    #expect(end.output.contains(".build/debug/takt reload"), "\(end)")
    #expect(end.output.hasSuffix("program run\n"), "\(end)")
    #expect(!end.output.contains("Compiling"), "\(end)")
  }

  @Test func `nothing is built while nothing has changed, and each change is noticed`() throws {
    let project = try Project()
    #expect(try project.make("build").status == 0)
    let first = project.builds
    #expect(first == 2)
    #expect(try project.make("build").output == "")
    #expect(project.builds == first)

    let changes: [(String, () throws -> Void)] = [
      ("an edit", { try project.write("better", to: "Sources/takt/a.swift") }),
      ("a new file", { try project.write("new", to: "Sources/takt/b.swift") }),
      ("a deleted file", { try project.remove("Sources/takt/b.swift") }),
      ("the package", { try project.write("// more", to: "Package.swift") }),
      ("versions", { try project.write("{}", to: "Package.resolved") }),
      ("another compiler", { try project.write("2", to: "version") }),
      ("a removed program", { try project.remove(".build/debug/takt") }),
    ]
    for (index, (name, change)) in changes.enumerated() {
      try change()
      let end = try project.make("build")
      #expect(end.status == 0, "\(name): \(end)")
      #expect(project.builds == first + 2 * (index + 1), "\(name)")
      #expect(try project.make("build").output == "", "\(name)")
    }
  }

  @Test func `a build that fails shows each error once and is tried again`() throws {
    let project = try Project()
    try project.write("bad", to: "Sources/takt/a.swift")
    for _ in 1...2 {
      let end = try project.make("run")
      #expect(end.status != 0)
      let parts = end.errors.components(separatedBy: "error: this is bad\n1 | bad\n")
      #expect(parts.count == 2, "\(end)")
      #expect(!end.output.contains("program"), "\(end)")
    }
    #expect(project.builds == 2)
    try project.write("good", to: "Sources/takt/a.swift")
    #expect(try project.make("run").output.hasSuffix("program run\n"))
  }

  @Test func `a warning of a build that succeeds is shown`() throws {
    let project = try Project()
    try project.write("odd", to: "Sources/takt/a.swift")
    let end = try project.make("build")
    #expect(end.status == 0)
    #expect(end.errors == "/a.swift:1:1: warning: this is odd\n", "\(end)")
  }
}
