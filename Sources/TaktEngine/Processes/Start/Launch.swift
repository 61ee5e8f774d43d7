import CTaktSystem
import Glibc
import Synchronization
import TaktCore
import TaktSystem

/// The start of one child: the memory that it shares with takt until it executes its program.
///
/// `@unchecked Sendable`: the pointer never changes, the functions that take it may be called from
/// any thread, and the memory is freed only in `deinit`, when no child uses it any more.
final class Launch: @unchecked Sendable {
  private let memory: OpaquePointer
  private let changesUser: Bool

  private init(_ memory: OpaquePointer, changesUser: Bool) {
    self.memory = memory
    self.changesUser = changesUser
  }

  deinit { Self.pool.withLock { $0.put(memory, changesUser: changesUser) } }

  static func start(
    _ request: UnsafePointer<csystem_spawn_request>
  ) -> Result<(launch: Launch, pid: pid_t, pidfd: Int32), SystemError> {
    let changesUser = request.pointee.identity != nil
    guard let memory = pool.withLock({ $0.pop(changesUser: changesUser) }) else {
      return .failure(SystemError("clone", number: ENOMEM))
    }
    let launch = Launch(memory, changesUser: changesUser)
    var pid = pid_t(0)
    var pidfd = Int32(-1)
    let number = csystem_spawn(memory, request, &pid, &pidfd)
    guard number == 0 else { return .failure(SystemError("clone", number: number)) }
    return .success((launch, pid, pidfd))
  }

  /// True until the child has executed its program or ended.
  var isPending: Bool { csystem_launch_is_pending(memory) != 0 }

  /// The step that failed in the child, which has exited; nil if it executed its program.
  var failure: (stage: StartStage, number: Int32)? {
    guard !isPending else { return nil }
    var stage = Int32(0)
    let number = csystem_launch_failure(memory, &stage)
    return stage == 0 ? nil : (StartStage(stage), number)
  }

  /// True if the child executed its command itself, without a shell. To be called when it is no
  /// longer pending.
  var isDirect: Bool { csystem_launch_is_direct(memory) != 0 }

  /// Keeps the child from executing anything, unless it already has.
  func abandon() { csystem_launch_abandon(memory) }

  /// Waits until it is no longer pending, at most this long; false if it still is.
  func wait(milliseconds: Int32) -> Bool { csystem_launch_wait(memory, milliseconds) != 0 }

  /// Memory of launches that are over, for reuse, and of those that hang.
  private struct Pool {
    private var free: [OpaquePointer] = []
    /// Given up, but a child still has its stack there.
    private var stuck: [(memory: OpaquePointer, changesUser: Bool)] = []
    private var changingCount = 0
    private var wasDumpable = false

    private static let freeMax = 32

    mutating func pop(changesUser: Bool) -> OpaquePointer? {
      sweep()
      guard let memory = free.popLast() ?? csystem_launch_make() else { return nil }
      if changesUser {
        // The user that the child becomes must not reach takt's memory through it.
        if changingCount == 0 { wasDumpable = csystem_set_dumpable(0) != 0 }
        changingCount += 1
      }
      return memory
    }

    mutating func put(_ memory: OpaquePointer, changesUser: Bool) {
      if csystem_launch_is_pending(memory) != 0 {
        stuck.append((memory, changesUser))
        return
      }
      if changesUser {
        changingCount -= 1
        if changingCount == 0, wasDumpable { _ = csystem_set_dumpable(1) }
      }
      if free.count < Self.freeMax { free.append(memory) } else { csystem_launch_free(memory) }
    }

    private mutating func sweep() {
      guard !stuck.isEmpty else { return }
      let all = stuck
      stuck = []
      for launch in all { put(launch.memory, changesUser: launch.changesUser) }
    }
  }

  private static let pool = Mutex(Pool())
}

extension StartStage {
  init(_ stage: Int32) {
    switch Int(stage) {
    case CSYSTEM_STAGE_DIRECTORY: self = .directory
    case CSYSTEM_STAGE_EXEC: self = .exec
    case CSYSTEM_STAGE_USER: self = .user
    case CSYSTEM_STAGE_LIMITS: self = .limits
    case CSYSTEM_STAGE_NICE: self = .nice
    case CSYSTEM_STAGE_IO_PRIORITY: self = .inputOutput
    case CSYSTEM_STAGE_ABANDONED: self = .stuck
    default: self = .process
    }
  }
}
