import Glibc
import TaktCore
import TaktSystem
import TaktTime

struct PruneWork {
  private let call: BuiltinCall
  private let walk: PruneWalk
  private let root: PruneFolder
  private let isDry: Bool
  /// Folders written later than this are not removed, even if they are empty.
  private let cut: WallInstant?
  private var files = 0
  private var bytes = 0
  private var folders = 0
  private var errors = 0
  private var names = 0
  /// The last folder used, since neighbours are often deleted together.
  private var current: (place: Int, folder: PruneFolder?)?
  private var touched: Set<Int> = []

  init(_ call: BuiltinCall, _ walk: PruneWalk, _ root: PruneFolder, cut: WallInstant?) {
    self.call = call
    self.walk = walk
    self.root = root
    self.cut = cut
    isDry = call.flag("dry_run")
  }

  mutating func run(_ condemned: [Int]) -> BuiltinEnd {
    for trouble in walk.troubles { fail(trouble.path, trouble.number) }
    for index in condemned {
      if call.cancellation.isCancelled { return stopped() }
      delete(walk.files[index])
    }
    if call.flag("empty_dirs"), !isDry {
      let inner = walk.folders.indices.dropFirst()
      for place in inner.sorted(by: { walk.folders[$0].depth > walk.folders[$1].depth }) {
        if call.cancellation.isCancelled { return stopped() }
        removeIfEmpty(place)
      }
    }
    summarise()
    return errors == 0 ? .done : .failed("errors(\(errors))")
  }

  private mutating func delete(_ file: PruneFile) {
    let path = walk.path(of: file.folder) + file.name.text
    if current?.place != file.folder {
      current = (file.folder, walk.open(file.folder, from: root))
    }
    guard let folder = current?.folder else { return }
    // It may have been written again, or be another file by now.
    guard let status = folder.status(of: file.name), status.identity.inode == file.inode,
      status.isPrunable, status.modified == file.modified
    else { return }
    let number = isDry ? 0 : folder.remove(file.name)
    if number == ENOENT { return }
    guard number == 0 else { return fail(path, number) }
    files += 1
    bytes = bytes.addingReportingOverflow(file.bytes).overflow ? .max : bytes + file.bytes
    touched.insert(file.folder)
    logLine(isDry ? "would delete \(path)" : "deleted \(path)")
  }

  private mutating func removeIfEmpty(_ place: Int) {
    let info = walk.folders[place]
    guard let parent = info.parent else { return }
    // A folder that was just made is about to be used.
    if let cut, !touched.contains(place), info.modified >= cut { return }
    guard let outer = walk.open(parent, from: root), let status = outer.status(of: info.name),
      status.type == .folder, status.identity.inode == info.inode
    else { return }
    switch outer.remove(info.name, flags: Int32(AT_REMOVEDIR)) {
    case 0:
      folders += 1
      touched.insert(parent)
      logLine("removed \(walk.path(of: place))")
    case ENOTEMPTY, EEXIST, ENOENT, EBUSY: break
    case let number: fail(walk.path(of: place), number)
    }
  }

  private mutating func fail(_ path: String, _ number: Int32) {
    errors += 1
    let text = SystemError.text(number)
    logLine("\(path.isEmpty ? "the root" : path): \(text)", .warning)
  }

  private mutating func logLine(_ line: String, _ level: LogLevel = .debug) {
    names += 1
    if names <= PruneBuiltin.namesMax { call.log(line, level) }
  }

  private func stopped() -> BuiltinEnd {
    summarise()
    return .failed(LongAttempt.cancelled)
  }

  private func summarise() {
    if names > PruneBuiltin.namesMax {
      call.log("and \(names - PruneBuiltin.namesMax) more")
    }
    var text = "\(isDry ? "would delete" : "deleted") \(files) of \(walk.files.count) files"
    text += ", \(SizeText.format(bytes))"
    if folders > 0 { text += ", removed \(folders) empty folders" }
    if errors > 0 { text += ", \(errors) errors" }
    call.log(text)
  }
}
