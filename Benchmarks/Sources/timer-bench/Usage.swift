#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the process has used so far.
struct Usage {
  var seconds: Double
  var switches: Int

  static var now: Usage {
    var usage = rusage()
    // RUSAGE_SELF is 0 everywhere, but a number on one system and an enum on another.
    getrusage(0, &usage)
    let user = Double(usage.ru_utime.tv_sec) + Double(usage.ru_utime.tv_usec) / 1e6
    let system = Double(usage.ru_stime.tv_sec) + Double(usage.ru_stime.tv_usec) / 1e6
    return Usage(seconds: user + system, switches: usage.ru_nvcsw + usage.ru_nivcsw)
  }
}
