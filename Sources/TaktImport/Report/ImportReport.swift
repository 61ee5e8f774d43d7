package import TaktCore

/// What became of each token of the sources.
package final class ImportReport {
  /// The better comes first.
  package enum Fate: Int, Comparable, Sendable {
    case kept
    case differently
    case lost

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// One token, and what became of it.
  package struct Entry {
    package var token: SourceToken
    package var fate: Fate
    /// For `kept` the key that holds it, otherwise a sentence without a full stop.
    package var sentence: String
    /// The job that it belongs to; nil for none, or for several.
    package var job: String?
    /// Texts that must be found in the jobs; what the check of the import looks for.
    var values: [String] = []
    /// How much a loss matters.
    package var severity = LossSeverity.changesRun
    /// The key that the token is a value of; nil for a token that stands for itself.
    package var subject: String?
    /// Whether nobody has said anything of it yet.
    var isOpen = false
    /// Whether it is not kept because of another token of its line.
    var isRest = false
  }

  /// Something to know that is not about a token that was changed.
  package struct Note: Hashable {
    package var place: SourceLocation
    package var sentence: String
  }

  /// A file that was read.
  package struct Source {
    package var path: String
    package var kind: SourceKind
    package var jobs: Int
    /// The command that stops the source; nil where there is none.
    package var stop: String?
  }

  package private(set) var entries: [Entry] = []
  package private(set) var notes: [Note] = []
  package var sources: [Source] = []
  /// Sources that could not be read.
  package private(set) var unreadable: [Note] = []
  /// Where the program that a source is written for refuses it.
  private(set) var refused: [SourceLocation] = []
  private var places: [SourceLocation: Int] = [:]
  private var noted: Set<Note> = []

  package init() {}

  /// Counts a token, which is lost until something else is said of it.
  func expect(_ token: SourceToken) {
    guard places[token.place] == nil else { return }
    places[token.place] = entries.count
    entries.append(
      Entry(
        token: token, fate: .lost, sentence: "takt does not know what this means", isOpen: true))
  }

  /// - Parameters:
  ///   - key: the key of the jobs file that holds it, or a word for why it needs none.
  ///   - values: texts that are in the job because of it.
  func keep(_ token: SourceToken, as key: String, in job: String? = nil, values: [String] = []) {
    settle(Entry(token: token, fate: .kept, sentence: key, job: job, values: values))
  }

  func differ(_ token: SourceToken, _ sentence: String, in job: String? = nil) {
    settle(Entry(token: token, fate: .differently, sentence: sentence, job: job))
  }

  /// - Parameters:
  ///   - severity: how much it matters; tables have it for keys of units and of YAML files.
  ///   - subject: the key that the token is a value of.
  func lose(
    _ token: SourceToken, _ sentence: String, in job: String? = nil,
    severity: LossSeverity = .changesRun, subject: String? = nil
  ) {
    settle(
      Entry(
        token: token, fate: .lost, sentence: sentence, job: job, severity: severity,
        subject: subject))
  }

  /// Loses a token because its line is left out for what another one says.
  func loseRest(_ token: SourceToken) {
    settle(
      Entry(token: token, fate: .lost, sentence: "this line is left out", isRest: true))
  }

  /// Loses a token because the program that it is written for refuses it.
  func refuse(_ token: SourceToken, _ sentence: String) {
    refused.append(token.place)
    lose(token, sentence)
  }

  /// Whether nothing has been said of a token yet.
  func isOpen(_ token: SourceToken) -> Bool {
    places[token.place].map { entries[$0].isOpen } ?? true
  }

  /// What has become of a token so far.
  func fate(of token: SourceToken) -> Fate? { places[token.place].map { entries[$0].fate } }

  /// The worst that is said of a token counts.
  private func settle(_ entry: Entry) {
    expect(entry.token)
    guard let index = places[entry.token.place] else { return }
    let old = entries[index]
    if old.isOpen || entry.fate > old.fate {
      entries[index] = entry
    } else if entry.fate == old.fate {
      entries[index].values += entry.values.filter { !old.values.contains($0) }
      entries[index].severity = min(old.severity, entry.severity)
      if entry.job != old.job { entries[index].job = nil }
    }
  }

  func note(_ sentence: String, at place: SourceLocation) {
    let note = Note(place: place, sentence: sentence)
    if noted.insert(note).inserted { notes.append(note) }
  }

  func cannotRead(_ path: String, _ sentence: String) {
    unreadable.append(Note(place: SourceLocation(file: path), sentence: sentence))
  }

  /// In the order of their places; a line that is left out is one entry.
  package func entries(_ fate: Fate) -> [Entry] {
    Self.joined(entries.filter { $0.fate == fate }.sorted { $0.token.place < $1.token.place })
  }

  /// In how many lines there is something of this kind.
  package func lineCount(where isCounted: (Entry) -> Bool) -> Int {
    // An entry without a line is about a file as a whole.
    Set(
      entries.filter(isCounted).map { entry in
        var place = entry.token.place
        if place.line > 0 { place.column = 0 }
        return place
      }
    ).count
  }

  private static func joined(_ entries: [Entry]) -> [Entry] {
    var joined: [Entry] = []
    var rest = entries[...]
    while let first = rest.first {
      let place = first.token.place
      let line = rest.prefix {
        $0.token.place.file == place.file && $0.token.place.line == place.line
      }
      rest = rest.dropFirst(line.count)
      guard line.contains(where: \.isRest) else {
        joined += line
        continue
      }
      var whole = first
      whole.token.text = line.map(\.token.text).joined(separator: " ")
      if let cause = line.first(where: { !$0.isRest }) { whole.sentence = cause.sentence }
      joined.append(whole)
    }
    return joined
  }

  /// What is not kept and matters this much.
  package func losses(_ severity: LossSeverity) -> [Entry] {
    entries(.lost).filter { $0.severity == severity }
  }

  /// Whether the jobs do what the sources did, if some of it in another way.
  package var isComplete: Bool {
    unreadable.isEmpty && !entries.contains { $0.fate == .lost && $0.severity == .changesRun }
  }
}
