/// What makes two paths one file.
struct FileIdentity: Hashable {
  var device: UInt64
  var inode: UInt64
}
