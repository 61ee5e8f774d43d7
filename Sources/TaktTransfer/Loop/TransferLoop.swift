import CTaktTransfer

/// The work of the one thread that serves all transfers.
struct TransferLoop {
  /// The thread waits this long after the last transfer, and keeps connections meanwhile.
  private static let idleMilliseconds: Int32 = 15_000
  /// The longest sleep. More is not needed: the library knows its own deadlines.
  private static let turnMilliseconds: Int32 = 60_000
  private static let connectionsMax = 16

  private let inbox: TransferInbox
  private let activeMax: Int
  private let multi: UnsafeMutableRawPointer
  private var waiting: [TransferInbox.Submission] = []
  private var active: [UInt64: ActiveTransfer] = [:]
  private var ids: [UnsafeMutableRawPointer: UInt64] = [:]

  /// Blocks its thread, until there has been no work for a while.
  static func run(_ inbox: TransferInbox, activeMax: Int) {
    guard let multi = ctransfer_multi_init() else { return refuse(inbox) }
    // Without descriptors the library makes a handle that nobody can wake.
    guard ctransfer_multi_wakeup(multi) == CURLM_OK else {
      ctransfer_multi_cleanup(multi)
      return refuse(inbox)
    }
    ctransfer_multi_set(multi, CURLMOPT_MAXCONNECTS, connectionsMax)
    inbox.open(TransferInbox.Multi(pointer: multi))
    var loop = TransferLoop(inbox: inbox, activeMax: activeMax, multi: multi)
    loop.serve()
    ctransfer_multi_cleanup(multi)
  }

  private static func refuse(_ inbox: TransferInbox) {
    for submission in inbox.close() {
      submission.makeExchange().fail(TransferFailure(.noDescriptors))
    }
  }

  private init(inbox: TransferInbox, activeMax: Int, multi: UnsafeMutableRawPointer) {
    self.inbox = inbox
    self.activeMax = activeMax
    self.multi = multi
  }

  private mutating func serve() {
    var isIdle = false
    while true {
      let mail = inbox.drain()
      if isIdle, mail.isEmpty, inbox.closeIfEmpty() { return }
      waiting += mail.submissions
      for id in mail.withdrawn { withdraw(id) }
      begin()
      ctransfer_multi_perform(multi)
      finish()
      guard waiting.isEmpty || active.count == activeMax else { continue }
      let isBusy = !active.isEmpty
      ctransfer_multi_poll(multi, isBusy ? Self.turnMilliseconds : Self.idleMilliseconds)
      isIdle = !isBusy
    }
  }

  private mutating func withdraw(_ id: UInt64) {
    waiting.removeAll { $0.id == id }
    if let transfer = active[id] { remove(id, transfer) }
  }

  private mutating func begin() {
    while active.count < activeMax, let submission = waiting.first {
      waiting.removeFirst()
      let exchange = submission.makeExchange()
      let left = submission.deadline - ContinuousClock.now
      guard left > .zero else {
        exchange.fail(TransferFailure(.timeout))
        continue
      }
      do throws(TransferFailure) {
        let transfer = try ActiveTransfer(exchange, timeout: left)
        guard ctransfer_multi_add(multi, transfer.easy.pointer) == CURLM_OK else {
          throw TransferFailure(.other, "libcurl is out of memory")
        }
        active[submission.id] = transfer
        ids[transfer.easy.pointer] = submission.id
      } catch {
        exchange.fail(error)
      }
    }
  }

  private mutating func finish() {
    var code = CURLE_OK
    while let easy = ctransfer_multi_ended(multi, &code) {
      guard let id = ids[easy], let transfer = active[id] else { continue }
      transfer.exchange.end(code, transfer.easy)
      remove(id, transfer)
    }
  }

  private mutating func remove(_ id: UInt64, _ transfer: ActiveTransfer) {
    ctransfer_multi_remove(multi, transfer.easy.pointer)
    ids[transfer.easy.pointer] = nil
    active[id] = nil
  }
}
