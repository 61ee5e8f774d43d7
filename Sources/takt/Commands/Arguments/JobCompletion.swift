import ArgumentParser
import TaktAPI
import TaktControl
import TaktCore
import TaktEngine
import TaktSystem

/// The names of jobs, for completion in a shell: those of the running daemon, or else of the file.
enum JobCompletion {
  /// A shell waits for it at every press of Tab.
  private static let limit = Duration.milliseconds(700)

  static let kind = CompletionKind.custom { words, _, prefix in names(words, prefix) }

  static func names(_ words: [String], _ prefix: String) -> [String] {
    var control = ControlArgument()
    control.givenFile = value(of: ["-f", "--file"], in: words)
    control.folder = value(of: ["--state"], in: words)
    let names = daemonNames(control, prefix) ?? fileNames(control.file)
    // A shell may expand the names, and another user may answer in the daemon's place.
    return names.filter { $0.hasPrefix(prefix) && JobName($0) != nil }.sorted()
  }

  private static func value(of options: [String], in words: [String]) -> String? {
    for (place, word) in words.enumerated() {
      for option in options {
        if word == option, place + 1 < words.count { return words[place + 1] }
        if option.hasPrefix("--"), word.hasPrefix("\(option)=") {
          return String(word.dropFirst(option.count + 1))
        }
      }
    }
    return nil
  }

  /// Nil if no daemon answers in time.
  private static func daemonNames(_ control: ControlArgument, _ prefix: String) -> [String]? {
    guard let path = control.socketPath, control.finding(at: path) == .socket else { return nil }
    let patience = Patience(thread: "takt-complete", stuckMax: 1, atPlace: 1)
    let names = try? patience.value(within: limit) { () -> [String]? in
      let target = "/api/v1/jobs?limit=100000&match=\(prefix.asQueryValue)"
      guard let found = try? ControlClient(socket: path).ask("GET", target), found.status == 200
      else { return nil }
      let page = try? APIReader.read(API.JobPage.self, from: found.bytes, only: ["jobs", "name"])
      return page?.jobs.elements.map(\.name)
    }
    return names ?? nil
  }

  private static func fileNames(_ file: String) -> [String] {
    let source = JobsFileSource(path: file, catalogue: BuiltinRegistry.standard)
    return source.load().snapshot?.jobs.map(\.name.text) ?? []
  }
}
