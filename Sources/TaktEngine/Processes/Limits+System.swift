import CTaktSystem
import Glibc
import TaktCore

extension Limits {
  /// What `setrlimit` is told; both limits of each are the same.
  var list: [csystem_limit] {
    let pairs: [(Int32, Int?)] = [
      (Int32(RLIMIT_AS.rawValue), memoryBytes), (Int32(RLIMIT_CPU.rawValue), cpuSeconds),
      (Int32(RLIMIT_NOFILE.rawValue), files),
      (Int32(__RLIMIT_NPROC.rawValue), processes), (Int32(RLIMIT_CORE.rawValue), coreBytes),
      (Int32(RLIMIT_FSIZE.rawValue), fileSizeBytes),
    ]
    return pairs.compactMap { resource, value in
      value.map { csystem_limit(resource: resource, value: UInt64(max(0, $0))) }
    }
  }
}
