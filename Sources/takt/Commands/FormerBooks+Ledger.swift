import TaktCore
import TaktEngine
import TaktStore

extension FormerBooks {
  /// How far the jobs have come; nothing where there is no ledger, or none that can be read.
  static func kept(by settings: SchedulerSettings) -> FormerBooks {
    guard case .folder(let folder)? = settings.state,
      let archive = try? LedgerArchive(folder: StateFolderLock.place(of: folder))
    else { return FormerBooks() }
    return (try? archive.former(boot: BootIdentity.current(), zones: ZoneFiles()))
      ?? FormerBooks()
  }
}
