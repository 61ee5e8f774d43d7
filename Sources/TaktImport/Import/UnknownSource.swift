import TaktCore

/// A file that takt recognizes but does not import.
struct UnknownSource {
  private let lines: [String]
  private let keys: SourceKeys
  private let path: String

  init(_ text: SourceLines, path: String?) {
    lines = text.lines.prefix(5_000).compactMap { line in
      line.trimmed.map(line.text)
    }
    keys = SourceKeys(lines)
    self.path = path ?? ""
  }

  /// A description with advice; nil for a file that takt may read.
  var refusal: String? {
    if isUTF16 { return "this is UTF-16; convert it with 'iconv -f UTF-16 -t UTF-8'" }
    if lines.first?.hasPrefix("bplist0") == true {
      return "this is a binary property list; convert it with 'plutil -convert xml1'"
    }
    if lines.first?.unicodeScalars.contains("\0") == true { return "this is a binary file" }
    if path.hasSuffix(".rb") || isSchedule {
      return "this is a schedule of whenever, which only Ruby can read; "
        + "import what it prints: 'whenever | takt import -'"
    }
    if isXML { return xml }
    if isCompose, !lines.contains(where: Ofelia.isLabel) {
      return "this is a Compose file without labels of Ofelia, and so it has no schedules; "
        + "look for the crontab or the program that starts its services"
    }
    if keys.has("jobs"), keys.has("runs-on"), !keys.has("schedule") {
      return "this is a workflow of GitHub Actions without 'on.schedule', and so it has no times"
    }
    return other
  }

  /// The advice for a template that other programs turn into YAML.
  static let template =
    "this is a template and no YAML yet; import what comes of it, such as that of 'helm template'"

  /// True for a byte order mark that is not UTF-8, before text with NULs.
  private var isUTF16: Bool {
    guard let start = lines.first?.unicodeScalars.prefix(4), start.count == 4 else { return false }
    return start.prefix(2).allSatisfy { $0 == "\u{fffd}" } && start.contains("\0")
  }

  /// True for blocks in whenever's language.
  private var isSchedule: Bool {
    lines.contains { line in
      line.hasPrefix("every ") && (line.hasSuffix(" do") || line.contains(" do |"))
    }
  }

  private var isXML: Bool {
    guard let first = lines.first else { return false }
    return first.hasPrefix("<?xml") || first.hasPrefix("\u{feff}<?xml") || first.hasPrefix("<")
  }

  private var xml: String? {
    if lines.contains(where: { $0.contains("<plist") }) { return nil }
    if lines.contains(where: { $0.contains("windows/2004/02/mit/task") || $0.hasPrefix("<Task") }) {
      return "this is a task of the Windows Task Scheduler, whose programs do not run here; "
        + "write a job with its times, 'cron' or 'calendar', and a command of this machine"
    }
    if lines.contains(where: { $0.hasPrefix("<joblist") }) {
      return
        "this is a job of Rundeck; takt does not import it: write its 'schedule' as 'cron' and "
        + "its commands as 'steps'"
    }
    return "this is XML of a kind that takt does not import"
  }

  private var isCompose: Bool {
    lines.contains("services:")
      && lines.contains { $0.hasPrefix("image:") || $0.hasPrefix("build:") }
  }

  /// The advice for other files that are no crontab.
  private var other: String? {
    if !path.hasSuffix(".py"), keys.isCronJob || keys.isWorkflow { return nil }
    let isYAML = path.hasSuffix(".yaml") || path.hasSuffix(".yml")
    if lines.contains(where: { $0.hasPrefix("pipeline {") || $0.hasPrefix("pipeline{") }) {
      return "this is a Jenkinsfile; write its 'cron' trigger and its 'sh' steps as a job"
    }
    if lines.contains(where: { $0.hasPrefix("periodic {") }) {
      return "this is a job of Nomad; write its 'periodic' block and its command as a job"
    }
    if isYAML, lines.contains(where: { $0.hasPrefix("- hosts:") }) {
      return "this is a playbook of Ansible; run it, and import the crontab that it makes"
    }
    if path.hasSuffix(".py") {
      return
        "this is a Python program, and takt runs nothing that it imports; write a job for each "
        + "of its schedules"
    }
    if isYAML, !lines.contains("jobs:"),
      !lines.contains(where: Ofelia.isLabel), !lines.contains("defaults:"),
      !lines.contains("include:")
    {
      return "this is YAML of a kind that takt does not import; say what it is with --from"
    }
    let first = lines.first ?? ""
    if first.hasPrefix("{{") { return Self.template }
    if first.hasPrefix("{") || first == "[" || first.hasPrefix("[{"),
      !lines.contains(where: { $0.contains("\"executor\"") })
    {
      return "this is JSON of a kind that takt does not import"
    }
    return nil
  }
}

/// The crontab that whenever wrote for a Ruby project.
struct Whenever {
  /// The folder of the project, or its identifier.
  let project: String

  /// Nil unless it is from whenever, for one project, without other jobs.
  init?(_ text: SourceLines) {
    var projects: Set<String> = []
    var isWithin = false
    for line in text.lines {
      guard let trimmed = line.trimmed else { continue }
      let text = line.text(trimmed)
      if text.hasPrefix(Self.begin) {
        projects.insert(Self.project(of: text.dropFirst(Self.begin.count)))
        isWithin = true
      } else if text.hasPrefix("# End Whenever generated tasks") {
        isWithin = false
      } else if !text.hasPrefix("#"), !isWithin {
        return nil
      }
    }
    guard projects.count == 1, let project = projects.first, !project.isEmpty else { return nil }
    self.project = project
  }

  private static let begin = "# Begin Whenever generated tasks for: "

  /// `shop` for `/srv/shop/releases/20240705201033/config/schedule.rb at: 2024-07-24 …`.
  private static func project(of text: Substring) -> String {
    var text = text
    if let end = text.firstRange(of: " at: ")?.lowerBound { text = text[..<end] }
    let folders: Set<Substring> = ["config", "schedule.rb", "releases", "current"]
    let parts = text.trimmed[...].split(separator: "/").filter { part in
      !folders.contains(part) && !part.allSatisfy(\.isNumber)
    }
    return parts.last.map(String.init) ?? ""
  }
}
