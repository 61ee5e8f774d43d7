import Glibc
import Synchronization

/// The mounted file systems that may stop answering: those of a network, of another process, and
/// any kind that is not known to be the kernel's own.
///
/// Safe from any thread. The list is read again only when a file system is mounted or unmounted.
package enum MountTable {
  private struct State {
    var descriptor: Int32 = -1
    var places: [[CChar]] = []
  }

  /// Kinds on disks and in memory of this machine.
  private static let ownKinds: Set<String> = [
    "autofs", "bdev", "bpf", "binfmt_misc", "btrfs", "cgroup", "cgroup2", "configfs", "debugfs",
    "devpts", "devtmpfs", "efivarfs", "erofs", "exfat", "ext2", "ext3", "ext4", "f2fs", "fusectl",
    "hugetlbfs", "iso9660", "jfs", "mqueue", "nsfs", "overlay", "proc", "pstore", "ramfs", "rootfs",
    "securityfs", "selinuxfs", "squashfs", "sysfs", "tmpfs", "tracefs", "udf", "vfat", "xfs", "zfs",
  ]
  private static let slash = CChar(47)
  private static let state = Mutex(State())

  /// The mount points of those that may stop answering: paths without links.
  package static func uncertainPlaces() -> [[CChar]] {
    state.withLock { state in
      if state.descriptor >= 0, !hasChanged(state.descriptor) { return state.places }
      if state.descriptor < 0 {
        state.descriptor = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
      }
      state.places = mounts().filter { !ownKinds.contains($0.kind) }.map(\.place)
      return state.places
    }
  }

  /// The mount point above a path without links; the path itself where that is the root.
  package static func place(around path: [CChar]) -> [CChar] {
    let points = mounts().map(\.place).filter { $0 != [slash] && contains(path, in: $0) }
    return points.max { $0.count < $1.count } ?? path
  }

  /// True for the place itself and for all paths below it.
  package static func contains(_ path: [CChar], in place: [CChar]) -> Bool {
    path.starts(with: place)
      && (path.count == place.count || place == [slash] || path[place.count] == slash)
  }

  package static func text(_ place: [CChar]) -> String {
    String(decoding: place.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func hasChanged(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLPRI), revents: 0)
    return poll(&entry, 1, 0) != 0
  }

  /// The user who mounted a file system of a process (FUSE); nil where none with this device is
  /// mounted.
  package static func mounter(of device: UInt64) -> (user: UInt32, group: UInt32)? {
    mounts().last { $0.device == device }.map { ($0.user, $0.group) }
  }

  struct Mount {
    var device: UInt64
    var place: [CChar]
    var kind: String
    /// The user whose process serves it, as FUSE says it; root of any other.
    var user: UInt32
    var group: UInt32
  }

  private static func mounts() -> [Mount] {
    mounts(in: (try? SmallFile.read("/proc/self/mountinfo", bytesMax: 64 << 20)) ?? [])
  }

  /// Reads the lines of `mountinfo` (proc_pid_mountinfo(5)).
  static func mounts(in text: [UInt8]) -> [Mount] {
    text.split(separator: 10).compactMap { line -> Mount? in
      let words = line.split(separator: 32)
      // After a number of optional words comes a dash, then kind, source and options.
      guard words.count > 6, let dash = words[6...].firstIndex(where: { $0.elementsEqual([45]) }),
        dash + 1 < words.count
      else { return nil }
      let numbers = words[2].split(separator: 58)
        .compactMap { UInt64(String(decoding: $0, as: UTF8.self)) }
      let options = words.count > dash + 3 ? words[dash + 3].split(separator: 44) : []
      func number(_ name: String) -> UInt32 {
        let mark = Array("\(name)=".utf8)
        let word = options.first { $0.starts(with: mark) }?.dropFirst(mark.count)
        return word.flatMap { UInt32(String(decoding: $0, as: UTF8.self)) } ?? 0
      }
      return Mount(
        device: numbers.count == 2 ? device(numbers[0], numbers[1]) : .max,
        place: unescaped(words[4]).map(CChar.init(bitPattern:)),
        kind: String(decoding: words[dash + 1], as: UTF8.self),
        user: number("user_id"), group: number("group_id"))
    }
  }

  /// A device's number as `stat` says it, of its two parts (makedev(3)).
  private static func device(_ major: UInt64, _ minor: UInt64) -> UInt64 {
    (major & 0xfff) << 8 | (major & ~0xfff) << 32 | minor & 0xff | (minor & ~0xff) << 12
  }

  /// The kernel writes blanks and the like as a backslash and three octal digits.
  package static func unescaped(_ word: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = word
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == 92, digits.count == 3, digits.allSatisfy({ (48...55).contains($0) }) {
        result.append(UInt8(truncatingIfNeeded: digits.reduce(0) { $0 * 8 + Int($1 - 48) }))
        rest = rest.dropFirst(3)
      } else {
        result.append(byte)
      }
    }
    return result
  }
}
