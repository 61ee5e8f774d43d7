import TaktCore
import TaktTime

/// The messages between machines and engine, and their fate on the way.
extension ClusterSimulation {
  private mutating func delay() -> Duration {
    // While it heals, a queue must shrink faster than it grows.
    .milliseconds(
      random.oneIn(8)
        ? Int.random(in: 100...(isHealing ? 500 : 2500), using: &random)
        : Int.random(in: 0...20, using: &random))
  }

  mutating func send(_ batch: ClaimBatch, from index: Int) {
    let machine = machines[index]
    machines[index].sentAt[batch.number] = now
    network.append(
      Delivery(at: now + delay(), machine: index, life: machine.life, message: .batch(batch)))
    // The driver's own deadline.
    network.append(
      Delivery(
        at: now + .seconds(2), machine: index, life: machine.life,
        message: .outcome(.failed(number: batch.number, ClaimFailure("no answer in 2s")))))
  }

  mutating func deliver(_ delivery: Delivery) {
    let index = delivery.machine
    switch delivery.message {
    case .batch(let batch):
      guard now >= engineDownUntil, now >= machines[index].cutUntil else { return }
      if !isHealing, random.oneIn(40) { return }
      let reply = perform(batch)
      if !isHealing, random.oneIn(40) {
        story.append("\(time) the answer to m\(index) is lost")
        return
      }
      network.append(
        Delivery(
          at: now + delay(), machine: index, life: delivery.life,
          message: .outcome(.answered(reply))))
      // Some networks, or drivers, repeat a message.
      if random.oneIn(30) { _ = perform(batch) }
    case .outcome(let outcome):
      guard machines[index].isUp, machines[index].life == delivery.life else { return }
      if case .answered = outcome, now < machines[index].cutUntil { return }
      if let until = machines[index].frozenUntil {
        network.append(
          Delivery(at: until, machine: index, life: delivery.life, message: delivery.message))
        return
      }
      if case .answered(let reply) = outcome, let era = reply.news?.era {
        machines[index].heardEra = era
      }
      machines[index].scheduler.move(to: now)
      send(.claims(outcome), to: index)
    }
  }

  mutating func perform(_ batch: ClaimBatch) -> ClaimReply {
    if case .engine(let fault)? = plant { engine.plant = fault }
    return engine.perform(batch, at: wall())
  }
}
