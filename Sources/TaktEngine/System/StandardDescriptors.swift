import Glibc

/// Descriptors 0, 1 and 2.
package enum StandardDescriptors {
  /// Opens `/dev/null` in place of those that the parent has closed, so that nothing else gets their
  /// numbers.
  package static func ensureOpen() {
    for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      _ = open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY)
    }
  }
}
