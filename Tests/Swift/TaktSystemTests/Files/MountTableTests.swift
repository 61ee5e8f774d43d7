import Glibc
import Testing

@testable import TaktSystem

/// The owners of mounts, from the kernel's tables.
@Suite struct MountTableTests {
  private func mounts(_ lines: String) -> [MountTable.Mount] {
    MountTable.mounts(in: Array(lines.utf8))
  }

  @Test func `a file system of a process belongs to the user who mounted it`() throws {
    let all = mounts(
      """
      25 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
      90 25 0:45 / /home/a\\040b/mnt rw,nosuid,nodev shared:2 master:3 - fuse.sshfs a:/ rw,user_id=1000,group_id=1001,allow_other
      91 25 0:46 / /host rw - virtiofs share rw
      92 25 259:1048577 / /disk rw - fuseblk /dev/nvme0n1p9 rw,user_id=0,group_id=0
      a line that is none
      93 25 0:x / /odd rw - fuse odd rw,user_id=x
      """)
    #expect(all.map(\.user) == [0, 1000, 0, 0, 0])
    #expect(all.map(\.group) == [0, 1001, 0, 0, 0])
    #expect(all.map(\.kind) == ["ext4", "fuse.sshfs", "virtiofs", "fuseblk", "fuse"])
    #expect(MountTable.text(all[1].place) == "/home/a b/mnt")
    #expect(all.prefix(3).map(\.device) == [254 << 8, 45, 46])
    // 1048577 is 0x100001: its upper bits stand above those of the major number.
    #expect(all[3].device == 0x1_0001_0301)
    #expect(all[4].device == .max)
  }

  @Test func `the device of a mounted file system is the one that stat names`() throws {
    let root = try FileStatus(at: "/proc")
    #expect(try #require(MountTable.mounter(of: root.identity.device)) == (0, 0))
    #expect(MountTable.mounter(of: .max - 1) == nil)
  }
}
