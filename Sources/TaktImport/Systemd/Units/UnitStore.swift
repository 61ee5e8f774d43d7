/// Finds units in a tree, with their drop-ins and the units that want them.
final class UnitStore {
  private let context: ImportContext
  let manager: UnitManager
  /// Folders of units that were named by their paths, before those of the system.
  private var folders: [String]
  private var known: [String: Unit] = [:]
  private var files: [String: [UnitEntry]] = [:]
  /// Services of timers with the jobs that run them.
  var services: [(unit: Unit, job: String)] = []
  /// Enabled and wanted units, with the units that want them.
  private lazy var wanted: [String: [String]] = readWanted()
  /// The reverse of `wanted`.
  private lazy var pulled: [String: [String]] = wanted.reduce(into: [:]) { pulled, entry in
    for target in entry.value { pulled[target, default: []].append(entry.key) }
  }

  private static let dropInsMax = 200

  init(_ context: ImportContext, _ manager: UnitManager = .machine) {
    self.context = context
    self.manager = manager
    folders = manager.folders
  }

  /// Puts a folder before those of the system.
  func prefer(_ folder: String) {
    folders.removeAll { $0 == folder }
    folders.insert(folder, at: 0)
    known = [:]
  }

  enum Found {
    case unit(Unit)
    case masked
    case missing
  }

  func find(_ name: String) -> Found {
    if let unit = known[name] { return .unit(unit) }
    guard name.utf8.count < 256, !name.contains("/") else { return .missing }
    for candidate in [name, Self.template(of: name)].compactMap(\.self) {
      for folder in folders {
        let path = folder + "/" + candidate
        switch context.tree.kind(of: path, followsLast: false) {
        case .none: continue
        case .link(to: "/dev/null"): return .masked
        default: break
        }
        guard context.tree.kind(of: path) == .file else { continue }
        guard let entries = entries(of: path) else { return .missing }
        if entries.isEmpty, isEmpty(path) { return .masked }
        var unit = Unit(name: name, entries: entries, files: [context.shown(path)])
        addDropIns(to: &unit)
        known[name] = unit
        return .unit(unit)
      }
    }
    return .missing
  }

  private func isEmpty(_ path: String) -> Bool {
    (try? context.tree.read(path))?.bytes.isEmpty == true
  }

  private func entries(of path: String) -> [UnitEntry]? {
    let place = context.tree.place(of: path) ?? path
    if let entries = files[place] { return entries }
    guard let text = context.text(of: path, .systemd) else { return nil }
    let entries = UnitFile.entries(of: text.text, context.report)
    files[place] = entries
    return entries
  }

  /// `backup@.timer` for `backup@home.timer`; nil for a unit that is no instance.
  static func template(of name: String) -> String? {
    guard let sign = name.firstIndex(of: "@"), let dot = name.lastIndex(of: "."), sign < dot,
      name.index(after: sign) < dot
    else { return nil }
    return String(name[...sign]) + String(name[dot...])
  }

  /// Searches `a.timer.d`, `a-.timer.d` for each part of the name with dashes, and `timer.d`.
  private func addDropIns(to unit: inout Unit) {
    var names = [unit.name]
    if let template = Self.template(of: unit.name) { names.append(template) }
    if let dot = unit.name.lastIndex(of: ".") {
      let suffix = unit.name[dot...]
      var stem = unit.prefix[...]
      while let dash = stem.dropLast().lastIndex(of: "-") {
        stem = stem[...dash]
        names.append(String(stem) + String(suffix))
      }
      names.append(String(suffix.dropFirst()))
    }
    var found: [(file: String, path: String)] = []
    var seen: Set<String> = []
    for name in names {
      for folder in folders {
        for file in context.names(in: "\(folder)/\(name).d") where file.hasSuffix(".conf") {
          // A file hides those of the same name in folders of lower precedence.
          if seen.insert(file).inserted {
            found.append((file, "\(folder)/\(name).d/\(file)"))
          }
        }
      }
    }
    if found.count > Self.dropInsMax {
      context.report.cannotRead(unit.name, "more than \(Self.dropInsMax) drop-ins")
    }
    for (_, path) in found.sorted(by: { $0.file < $1.file }).prefix(Self.dropInsMax) {
      guard context.tree.kind(of: path) == .file, let entries = entries(of: path) else { continue }
      unit.entries += entries
      unit.files.append(context.shown(path))
    }
  }

  private func readWanted() -> [String: [String]] {
    var wanted: [String: [String]] = [:]
    for folder in folders {
      for name in context.names(in: folder)
      where name.hasSuffix(".wants") || name.hasSuffix(".requires") {
        for unit in context.names(in: folder + "/" + name) {
          wanted[unit, default: []].append(
            String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)]))
        }
      }
    }
    return wanted
  }

  func isEnabled(_ name: String) -> Bool { wanted[name] != nil }

  /// The units that a unit pulls in: by its own entries, and by the folder beside it.
  func wants(of unit: Unit) -> [String] {
    var names: [String] = []
    for key in ["Wants", "Requires"] {
      for entry in unit.list("Unit", key) {
        names += entry.value.split(separator: " ").map(String.init)
      }
    }
    return Set(names + (pulled[unit.name] ?? [])).sorted()
  }

  /// The names of all timers, templates by their enabled instances.
  func timers() -> [String] {
    var names: Set<String> = []
    for folder in folders {
      for name in context.names(in: folder) where name.hasSuffix(".timer") {
        names.insert(name)
      }
    }
    for name in wanted.keys where name.hasSuffix(".timer") { names.insert(name) }
    return names.sorted()
  }

  func instances(of template: String) -> [String] {
    wanted.keys.filter { Self.template(of: $0) == template }.sorted()
  }
}

/// The units of the machine, and those of each user whose timers are imported.
final class UnitStores {
  private let context: ImportContext
  let machine: UnitStore
  private var ofUsers: [String: UnitStore] = [:]

  init(_ context: ImportContext) {
    self.context = context
    machine = UnitStore(context)
  }

  var all: [UnitStore] {
    [machine] + ofUsers.sorted { $0.key < $1.key }.map(\.value)
  }

  func store(of manager: UnitManager) -> UnitStore {
    guard let user = manager.user else { return machine }
    if let store = ofUsers[user.name] { return store }
    let store = UnitStore(context, manager)
    ofUsers[user.name] = store
    return store
  }
}
