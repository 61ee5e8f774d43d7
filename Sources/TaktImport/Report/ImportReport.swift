package import TaktCore

package final class ImportReport {
  /// Ordered from best to worst.
  package enum Fate: Int, Comparable, Sendable {
    case kept
    case differently
    case lost

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  package struct Entry {
    package var token: SourceToken
    package var fate: Fate
    /// For `kept`, the key that holds it; otherwise a sentence without a full stop.
    package var sentence: String
    /// Nil for no job, or for several.
    package var job: String?
    /// Texts that the final check looks for in the jobs.
    var values: [String] = []
    package var severity = LossSeverity.changesRun
    /// The key whose value the token is; nil for a token of its own.
    package var subject: String?
    /// True until a reader reports on the token.
    var isOpen = false
    /// True if it is lost because of another token of its line.
    var isRest = false
  }

  /// Information that is not about a changed token.
  package struct Note: Hashable {
    package var place: SourceLocation
    package var sentence: String
  }

  package struct Source {
    package var path: String
    package var kind: SourceKind
    package var jobs: Int
    /// The command that stops the source; nil if there is none.
    package var stop: String?
  }

  package private(set) var entries: [Entry] = []
  package private(set) var notes: [Note] = []
  package var sources: [Source] = []
  package private(set) var unreadable: [Note] = []
  /// Places that the source's own program refuses.
  private(set) var refused: [SourceLocation] = []
  private var places: [SourceLocation: Int] = [:]
  private var noted: Set<Note> = []

  package init() {}

  /// Counts a token as lost until a reader reports on it.
  func expect(_ token: SourceToken) {
    guard places[token.place] == nil else { return }
    places[token.place] = entries.count
    entries.append(
      Entry(
        token: token, fate: .lost, sentence: "takt does not know what this means", isOpen: true))
  }

  /// - Parameters:
  ///   - key: the key of the jobs file that holds it, or the reason why it needs none.
  ///   - values: texts that are in the job because of it.
  func keep(_ token: SourceToken, as key: String, in job: String? = nil, values: [String] = []) {
    settle(Entry(token: token, fate: .kept, sentence: key, job: job, values: values))
  }

  func differ(_ token: SourceToken, _ sentence: String, in job: String? = nil) {
    settle(Entry(token: token, fate: .differently, sentence: sentence, job: job))
  }

  /// - Parameters:
  ///   - severity: from a table for keys of units and of YAML files.
  ///   - subject: the key whose value the token is.
  func lose(
    _ token: SourceToken, _ sentence: String, in job: String? = nil,
    severity: LossSeverity = .changesRun, subject: String? = nil
  ) {
    settle(
      Entry(
        token: token, fate: .lost, sentence: sentence, job: job, severity: severity,
        subject: subject))
  }

  /// Loses a token because its line is left out for another token.
  func loseRest(_ token: SourceToken) {
    settle(
      Entry(token: token, fate: .lost, sentence: "this line is left out", isRest: true))
  }

  /// Loses a token because the source's own program refuses it.
  func refuse(_ token: SourceToken, _ sentence: String) {
    refused.append(token.place)
    lose(token, sentence)
  }

  /// True until a reader reports on the token.
  func isOpen(_ token: SourceToken) -> Bool {
    places[token.place].map { entries[$0].isOpen } ?? true
  }

  func fate(of token: SourceToken) -> Fate? { places[token.place].map { entries[$0].fate } }

  /// The worst fate of a token counts.
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

  /// The number of lines with entries of this kind.
  package func lineCount(where isCounted: (Entry) -> Bool) -> Int {
    // An entry without a line is about a whole file.
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

  package func losses(_ severity: LossSeverity) -> [Entry] {
    entries(.lost).filter { $0.severity == severity }
  }

  /// True if the jobs do the same as the sources, even if some of it in another way.
  package var isComplete: Bool {
    unreadable.isEmpty && !entries.contains { $0.fate == .lost && $0.severity == .changesRun }
  }
}
