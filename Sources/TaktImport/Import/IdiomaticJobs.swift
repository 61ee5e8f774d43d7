/// Turns programs in the commands of crontabs into keys, or notes that `--idiomatic` would.
struct IdiomaticJobs {
  let context: ImportContext

  func run() {
    let tree = context.tree
    let uses = Self.uses(of: context.jobs)
    let idioms = Idioms(
      isFolder: { path in
        let plain = "/" + path.split(separator: "/").joined(separator: "/")
        return tree.kind(of: plain, followsLast: false) == .folder
          && tree.place(of: plain) == tree.root + plain
      },
      isShared: { uses[Self.standard($0), default: 0] > 1 })
    var hints: [SourceToken] = []
    context.changeJobs { job in
      guard let token = job.command else { return }
      var changed = job
      let sentences = idioms.apply(to: &changed)
      guard !sentences.isEmpty else { return }
      guard context.options.isIdiomatic else { return hints.append(token) }
      job = changed
      settle(token, sentences.joined(separator: "; "), in: job.name)
    }
    guard let first = hints.first else { return }
    context.report.note(
      "with --idiomatic, keys of takt take the place of programs at the start or the end of "
        + (hints.count == 1
          ? "this command" : "\(hints.count) commands, of which this is the first"),
      at: first.place)
  }

  /// The command may have been reported already.
  private func settle(_ token: SourceToken, _ sentence: String, in job: String) {
    let report = context.report
    if report.fate(of: token) == .differently { report.note(sentence, at: token.place) }
    report.differ(token, sentence, in: job)
  }

  /// The number of times that texts of the jobs name each path.
  private static func uses(of jobs: [JobDraft]) -> [String: Int] {
    var uses: [String: Int] = [:]
    for text in jobs.lazy.flatMap({ $0.ordered.lazy.flatMap(\.value.texts) }) {
      for word in text.split(whereSeparator: { " \t\n'\"=<>|&;(){}".contains($0) })
      where word.hasPrefix("/") {
        uses[standard(String(word)), default: 0] += 1
      }
    }
    return uses
  }

  /// One name for folders that have two paths on nearly all machines.
  private static func standard(_ path: String) -> String {
    let plain = "/" + path.split(separator: "/").joined(separator: "/")
    for (link, folder) in [("/var/lock/", "/run/lock/"), ("/var/run/", "/run/")]
    where plain.hasPrefix(link) {
      return folder + plain.dropFirst(link.utf8.count)
    }
    return plain
  }
}
