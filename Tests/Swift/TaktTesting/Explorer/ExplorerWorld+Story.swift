import TaktCore
import TaktTime

/// What happens, for people.
extension ExplorerWorld {
  func log(_ text: @autoclosure () -> String) {
    guard let book else { return }
    book.lines.append("\((now.nanoseconds - 1_000_000_000) / 1_000_000) ms  \(text())")
  }

  func log(_ batch: ClaimBatch, _ reply: ClaimReply, of index: Int) {
    guard book != nil else { return }
    if reply.member == nil { return log("the engine does not know m\(index)") }
    for (request, answer) in zip(batch.requests, reply.answers) {
      log("m\(index) asks \(words(request)): \(answer)")
    }
  }

  private func words(_ request: ClaimRequest) -> String {
    switch request {
    case .declare(let job, _, let isChanged, _, _, _):
      "declare \(job)\(isChanged ? ", changed" : "")"
    case .claim(let claim):
      "claim \(key(claim.job, claim.slot))"
        + (claim.earlier.map { ", before as \($0.number)" } ?? "")
    case .ask(let job, let slots, _):
      "ask " + slots.map { key(job, $0) }.joined(separator: ", ")
    case .decide(let job, let slots, let verdict): "decide \(key(job, slots.first)) \(verdict)"
    case .end(let token, let outcome, let reason): "end \(token.number) \(outcome) \(reason)"
    case .restore(let known): "restore \(known.token.number)"
    case .retire(let former): "retire \(former.number)"
    case .giveBack(let token): "give back \(token.number)"
    case .ranUnclaimed, .lastEnd, .suspend: "\(request)"
    }
  }
}
