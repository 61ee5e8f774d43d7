import TaktCore

/// The formats of Ofelia's jobs.
extension Ofelia {
  /// A section of an INI file with its values, or the labels of one job.
  struct Section {
    struct Entry {
      var key: String
      var value: String
      var token: SourceToken
    }

    var kind: String
    var name: String
    var place: SourceLocation
    var entries: [Entry] = []
  }

  /// True for a line of an INI file that starts a job.
  static func isSection(_ line: String) -> Bool {
    kinds.contains { line.hasPrefix("[\($0) ") || line.hasPrefix("[\($0)\t") }
  }

  /// True for a line of a Compose file with a label that makes a job.
  static func isLabel(_ line: String) -> Bool {
    guard !line.hasPrefix("#") else { return false }
    return kinds.contains { line.contains("ofelia.\($0).") }
  }

  static func isINI(_ text: SourceLines) -> Bool {
    text.lines.contains { line in line.trimmed.map { isSection(line.text($0)) } ?? false }
  }

  /// The sections of an INI file, by the rules of Git's configuration files, which Ofelia uses.
  static func sections(of text: SourceLines, _ report: ImportReport) -> [Section] {
    var sections: [Section] = []
    for line in text.lines {
      guard let trimmed = line.trimmed else { continue }
      let token = line.token(trimmed)
      if token.text.hasPrefix("#") || token.text.hasPrefix(";") { continue }
      if token.text.hasPrefix("[") {
        let inner = token.text.dropFirst().prefix { $0 != "]" }
        let kind = inner.prefix { $0 != " " && $0 != "\t" }
        let name = inner.dropFirst(kind.count).trimmed
        sections.append(
          Section(
            kind: kind.lowercased(), name: String(name.drop { $0 == "\"" }.prefix { $0 != "\"" }),
            place: token.place))
        continue
      }
      report.expect(token)
      guard line.isText, let entry = entry(token), !sections.isEmpty else {
        report.lose(token, "Ofelia does not read this line")
        continue
      }
      sections[sections.count - 1].entries.append(entry)
    }
    return sections
  }

  /// Reads `key = value` and removes quotes, escapes and a comment at the end.
  private static func entry(_ token: SourceToken) -> Section.Entry? {
    guard let sign = token.text.firstIndex(of: "=") else { return nil }
    let key = token.text[..<sign].trimmed.lowercased()
    var value = String.UnicodeScalarView()
    /// The length that remains when blanks at the end are removed.
    var kept = 0
    var isQuoted = false
    var rest = token.text[token.text.index(after: sign)...].unicodeScalars
    rest = rest.drop { $0 == " " || $0 == "\t" }
    while let scalar = rest.popFirst() {
      if scalar == "\"" {
        isQuoted.toggle()
        continue
      }
      if !isQuoted, scalar == ";" || scalar == "#" { break }
      if scalar == "\\" {
        guard let next = rest.popFirst() else { return nil }
        value.append(["n": "\n", "t": "\t", "b": "\u{8}"][next] ?? next)
      } else {
        value.append(scalar)
      }
      if isQuoted || (scalar != " " && scalar != "\t") { kept = value.count }
    }
    guard !isQuoted, !key.isEmpty else { return nil }
    return Section.Entry(
      key: key, value: String(String.UnicodeScalarView(value.prefix(kept))), token: token)
  }
}

struct OfeliaImport {
  let context: ImportContext

  func run(_ text: SourceLines) {
    let sections = Ofelia.sections(of: text, context.report)
    let global = sections.first { $0.kind == "global" }
    for section in sections where Ofelia.kinds.contains(section.kind) {
      OfeliaJob(context: context, section: section, global: global, target: nil, zone: nil).add()
    }
    for section in sections where !Ofelia.kinds.contains(section.kind) {
      for entry in section.entries where context.report.isOpen(entry.token) {
        context.report.lose(entry.token, "takt has nothing for this")
      }
    }
  }
}

struct OfeliaLabels {
  let context: ImportContext

  func run(_ documents: [ForeignNode], file: String, path: String?) {
    for document in documents {
      let leaves = ForeignLeaves(document, context.report)
      guard case .map(let services)? = document["services"]?.content else { continue }
      let zone = services.lazy.compactMap { Self.zone(of: $0.value) }.first
      var sections: [(Ofelia.Section, OfeliaJob.Target)] = []
      var global = Ofelia.Section(
        kind: "global", name: "", place: SourceLocation(file: file))
      for service in services {
        let target: OfeliaJob.Target =
          service.value["container_name"]?.text.map(OfeliaJob.Target.container)
          ?? .service(service.key, file: path ?? file)
        for section in Self.sections(of: service.value, service.key) {
          if section.kind == "global" {
            global.entries += section.entries
          } else {
            sections.append((section, target))
          }
        }
      }
      for (section, target) in sections {
        OfeliaJob(context: context, section: section, global: global, target: target, zone: zone)
          .add()
      }
      for entry in global.entries where context.report.isOpen(entry.token) {
        context.report.lose(entry.token, "takt has nothing for this")
      }
      leaves.keepRest(as: "Compose reads this, and not Ofelia")
    }
  }

  /// The time zone of the service that runs Ofelia.
  private static func zone(of service: ForeignNode) -> String? {
    guard service["image"]?.text?.contains("ofelia") == true else { return nil }
    let list = service["environment"]?.texts ?? []
    return service["environment"]?["TZ"]?.text
      ?? list.first { $0.hasPrefix("TZ=") }.map { String($0.dropFirst(3)) }
  }

  /// The jobs in the labels of a service, and the settings for all jobs.
  private static func sections(of service: ForeignNode, _ name: String) -> [Ofelia.Section] {
    var sections: [Ofelia.Section] = []
    for (label, value, place) in labels(of: service) where label.hasPrefix("ofelia.") {
      let parts = label.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      let isJob = parts.count >= 4 && Ofelia.kinds.contains(parts[1])
      if !isJob, parts.count != 2 || parts[1] == "enabled" { continue }
      let kind = isJob ? parts[1] : "global"
      let job = isJob ? parts[2..<parts.count - 1].joined(separator: ".") : ""
      let entry = Ofelia.Section.Entry(
        key: parts[parts.count - 1].lowercased(), value: value,
        token: SourceToken("\(label): \(value)", at: place))
      if let index = sections.firstIndex(where: { $0.kind == kind && $0.name == job }) {
        sections[index].entries.append(entry)
      } else {
        sections.append(Ofelia.Section(kind: kind, name: job, place: place, entries: [entry]))
      }
    }
    return sections
  }

  /// `KEY: value` or `KEY=value`.
  private static func labels(
    of service: ForeignNode
  ) -> [(label: String, value: String, place: SourceLocation)] {
    switch service["labels"]?.content {
    case .map(let entries)?:
      return entries.compactMap { entry in
        entry.value.textOrEmpty.map { (entry.key, $0, entry.place) }
      }
    case .list(let items)?:
      return items.compactMap { item in
        guard let text = item.text, let sign = text.firstIndex(of: "=") else { return nil }
        return (String(text[..<sign]), String(text[text.index(after: sign)...]), item.place)
      }
    default: return []
    }
  }
}
