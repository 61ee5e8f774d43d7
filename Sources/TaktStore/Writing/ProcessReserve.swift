import Glibc
import TaktCore
import TaktSystem

/// Names the processes that the ledger could not record, in a file whose space is reserved while
/// there is some: on a full disk it can still be written. Its names count until the ledger has been
/// written again.
///
/// For the ledger's queue only, like everything that touches the disk.
final class ProcessReserve {
  static let name = StateDirectory.processesName
  /// Room for more than 500 processes, depending on the lengths of the names of their control
  /// groups. Further ones are not named.
  static let size = 128 << 10

  private let descriptor: Int32
  private let daemon: String
  private var written: [UInt8] = []

  /// Reserves the space, in place of the previous daemon's. Nil if there is none.
  init?(in directory: StateDirectory, of writer: SQLiteLedger.Writer) {
    // Somebody else's file has this name.
    guard Self.isOwn(Self.text(in: directory)) else { return nil }
    // Never the same file: a daemon that has lost its lock may write to that.
    unlinkat(directory.descriptor, Self.name, 0)
    guard let daemon = Self.line(of: writer, in: directory.identity) else { return nil }
    self.daemon = daemon
    let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    descriptor = openat(directory.descriptor, Self.name, flags, 0o600)
    guard descriptor >= 0 else { return nil }
    guard posix_fallocate(descriptor, 0, off_t(Self.size)) == 0 else {
      unlinkat(directory.descriptor, Self.name, 0)
      return nil
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Names these processes, and no others.
  func write(_ processes: some Sequence<ProcessIdentity>) {
    var bytes: [UInt8] = []
    for process in processes {
      if bytes.isEmpty { bytes = Self.summed(daemon) }
      let line = Self.summed(Self.line(of: process))
      guard bytes.count + line.count < Self.size else { break }
      bytes += line
    }
    // Anything behind it is from an earlier time.
    bytes.append(0)
    guard bytes != written else { return }
    written = pwrite(descriptor, bytes, bytes.count, 0) == bytes.count ? bytes : []
  }
}

extension ProcessReserve {
  /// The daemon that has used it last and the processes that it names; nil if it names none of this
  /// boot.
  static func read(in directory: StateDirectory, boot: String) -> LedgerFindings.PreviousDaemon? {
    let lines = text(in: directory).split(separator: "\n").prefix { !$0.hasPrefix("\0") }
    guard let first = lines.first.flatMap(unsummed),
      var daemon = daemon(first, boot: boot, in: directory.identity)
    else { return nil }
    // A line that is damaged names nothing.
    daemon.services = lines.dropFirst().compactMap(unsummed).compactMap(process)
    return daemon.services.isEmpty ? nil : daemon
  }

  private static func isOwn(_ text: String) -> Bool {
    text.isEmpty || text.hasPrefix("\0")
      || text.prefix { $0 != "\n" }.contains("\t\(kind)\t")
  }

  private static func text(in directory: StateDirectory) -> String {
    let bytes = SmallFile.head(name, in: directory.descriptor, bytesMax: size)
    return String(decoding: bytes ?? [], as: UTF8.self)
  }

  /// The word before a daemon.
  private static let kind = "takt 1"

  /// With a checksum: takt may be killed while it writes, and leave a mix of two times.
  private static func summed(_ line: String) -> [UInt8] {
    Array("\(String(StableHash.of(line), radix: 16))\t\(line)\n".utf8)
  }

  private static func unsummed(_ line: Substring) -> [Substring]? {
    guard let cut = line.firstIndex(of: "\t") else { return nil }
    let rest = line[line.index(after: cut)...]
    guard UInt64(line[..<cut], radix: 16) == StableHash.of(String(rest)) else { return nil }
    return rest.split(separator: "\t", omittingEmptySubsequences: false)
  }

  /// Nil if nobody could tell later that the daemon lives.
  private static func line(
    of writer: SQLiteLedger.Writer, in folder: StateDirectory.Identity
  ) -> String? {
    guard let ticks = writer.startTicks, let device = folder.device, let inode = folder.inode else {
      return nil
    }
    return
      "\(kind)\t\(getpid())\t\(ticks)\t\(writer.pidSpace ?? "")\t\(device)\t\(inode)\t\(writer.boot)"
  }

  private static func daemon(
    _ fields: [Substring], boot: String, in folder: StateDirectory.Identity
  ) -> LedgerFindings.PreviousDaemon? {
    guard fields.count == 7, fields[0] == kind, fields[6] == boot,
      let pid = Int32(fields[1]), pid > 0, let ticks = UInt64(fields[2]),
      let device = Int64(fields[4]), let inode = Int64(fields[5])
    else { return nil }
    let recorded = StateDirectory.Identity(device: device, inode: inode)
    return LedgerFindings.PreviousDaemon(
      id: nil, pid: pid, startTicks: ticks, pidSpace: fields[3].isEmpty ? nil : String(fields[3]),
      isOfThisFolder: recorded == folder)
  }

  private static func line(of process: ProcessIdentity) -> String {
    "\(process.pid)\t\(process.sinceTicks)\t\(process.untilTicks)\t\(process.mark)\t"
      + (process.controlGroup ?? "")
  }

  private static func process(_ fields: [Substring]) -> ProcessIdentity? {
    // One without a mark proves nothing.
    guard fields.count == 5, let pid = Int32(fields[0]), pid > 1, let since = UInt64(fields[1]),
      let until = UInt64(fields[2]), !fields[3].isEmpty
    else { return nil }
    return ProcessIdentity(
      pid: pid, sinceTicks: since, untilTicks: until, mark: String(fields[3]),
      controlGroup: fields[4].isEmpty ? nil : String(fields[4]))
  }
}

extension ProcessReserve {
  private enum Owner: Hashable {
    case run(RunID)
    case service(UInt64)
  }

  /// The processes that exist after these entries, which are in their order.
  static func processes(in entries: [LedgerEntry]) -> some Sequence<ProcessIdentity> {
    var found: [Owner: ProcessIdentity] = [:]
    for entry in entries {
      switch entry {
      case .process(let run, let process): found[.run(run)] = process
      case .backedOff(let run, _, _): found[.run(run)] = nil
      case .ended(let record): found[.run(record.head.run)] = nil
      case .rare(.service(let number, let process)): found[.service(number)] = process
      case .rare(.serviceEnded(let number)): found[.service(number)] = nil
      default: break
      }
    }
    return found.values
  }

  /// True if one of these entries names a process, or starts a run.
  static func isNamed(in entries: [LedgerEntry]) -> Bool {
    entries.contains { entry in
      switch entry {
      case .process, .rare(.service), .began: true
      default: false
      }
    }
  }

  /// The highest number of a run started by these entries; 0 for none.
  static func lastRun(in entries: [LedgerEntry]) -> UInt64 {
    var last: UInt64 = 0
    for case .began(let beginning) in entries { last = max(last, beginning.head.run.number) }
    return last
  }
}
