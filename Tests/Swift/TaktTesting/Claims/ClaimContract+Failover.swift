import TaktCore
import TaktTime

/// Promises of an engine that was set back to an earlier state.
extension ClaimContract {
  package static let failovers = [
    copied("no machine is given a claim that the standby lacks until all have spoken") {
      scene, engine in
      let (one, two) = (try scene.join(), try scene.join("two"))
      try engine.keepCopy()
      let wish = scene.wish(scene.slot(1)) { $0.overlap = .allow }
      let token = try scene.grant(one, wish)
      try engine.failOver()
      try scene.equal(try scene.claim(two, wish), .busy, "another machine asks first")
      let known = RememberedClaim(token: token, attempt: 1, claim: wish)
      try scene.equal(try scene.ask(one, .restore(known)), .done, "its machine speaks")
      try scene.equal(try scene.ask(one, .restore(known)), .done, "again")
      try scene.equal(try scene.renew(one).held.map(\.token), [token], "its claims")
      try scene.equal(try scene.claim(two, wish), .taken, "the other machine asks again")
      try scene.equal(
        try scene.ask(one, .end(token, .succeeded, reason: "exit(0)")), .done, "its end")
    },
    copied("an end that the standby lacks stays one") { scene, engine in
      let (one, two) = (try scene.join(), try scene.join("two"))
      let wish = scene.wish(scene.slot(1)) { $0.isAtLeastOnce = true }
      let token = try scene.grant(one, wish)
      try engine.keepCopy()
      try scene.ask(one, .end(token, .succeeded, reason: "exit(0)"))
      try scene.engine.pass(ClaimScene.lease * 2)
      try engine.failOver()
      try scene.equal(try scene.renew(two).open, [], "nothing is open")
      let ending = ClaimEnding(.succeeded, reason: "exit(0)")
      let known = RememberedClaim(token: token, attempt: 1, claim: wish, ending: ending)
      _ = try scene.renew(one)
      try scene.equal(try scene.ask(one, .restore(known)), .done, "the end")
      try scene.equal(try scene.ask(one, .restore(known)), .done, "again")
      try scene.engine.pass(ClaimScene.lease * 3)
      let three = try scene.join("three")
      try scene.equal(try scene.claim(three, wish), .taken, "much later")
    },
    copied("a grant that nobody has heard of gives way to a later one that the standby lacks") {
      scene, engine in
      let (one, two) = (try scene.join(), try scene.join("two"))
      let wish = scene.wish(scene.slot(1)) { $0.isAtLeastOnce = true }
      let lost = try scene.grant(one, wish)
      try engine.keepCopy()
      try scene.lose(all: two)
      try scene.equal(try scene.renew(two).open.map(\.slot), [wish.slot], "its machine is lost")
      let token = try scene.grant(two, wish, attempt: 2)
      try scene.isTrue(token > lost, "a higher fence")
      try scene.ask(two, .end(token, .succeeded, reason: "exit(0)"))
      try engine.failOver()
      _ = try scene.renew(one)
      try scene.equal(try scene.claim(one, wish), .busy, "the other may have more to say")
      let ending = ClaimEnding(.succeeded, reason: "exit(0)")
      let known = RememberedClaim(token: token, attempt: 2, claim: wish, ending: ending)
      _ = try scene.renew(two)
      try scene.equal(try scene.ask(two, .restore(known)), .done, "it speaks")
      try scene.equal(try scene.claim(one, wish), .taken, "the first one again")
    },
    copied("machines keep their membership, although the standby's leases are over") {
      scene, engine in
      let one = try scene.join()
      try engine.keepCopy()
      try scene.engine.pass((ClaimScene.lease + ClaimScene.grace) * 3)
      try engine.failOver()
      try scene.equal(try scene.send(one, []).member, nil, "it has to renew its lease")
      try scene.equal(try scene.renew(one).members.map(\.id), [one], "the members")
    },
    copied("slots that no machine remembers are given out after a lease") { scene, engine in
      let (one, two) = (try scene.join(), try scene.join("two"))
      try engine.keepCopy()
      let wish = scene.wish(scene.slot(1))
      let token = try scene.grant(one, wish)
      try scene.engine.pass(.seconds(1))
      try engine.failOver()
      try scene.equal(try scene.claim(two, wish), .busy, "at once")
      try scene.engine.pass(ClaimScene.lease)
      _ = try scene.renew(two)
      try scene.equal(try scene.claim(two, wish), .busy, "one machine may run it still")
      try scene.engine.pass(ClaimScene.grace)
      let next = try scene.grant(two, wish)
      try scene.isTrue(next > token, "a higher fence")
      let known = RememberedClaim(token: token, attempt: 1, claim: wish)
      let back = try scene.join()
      try scene.equal(try scene.ask(back, .restore(known)), .superseded, "it is back")
    },
    copied("what nobody can have had is given out at once, unless it must not run beside others") {
      scene, engine in
      let one = try scene.join()
      try engine.keepCopy()
      try engine.failOver()
      _ = try scene.renew(one)
      try scene.engine.pass(.seconds(1))
      let slot = WallInstant(milliseconds: scene.engine.now.milliseconds / 200 * 200)
      _ = try scene.grant(one, scene.wish(slot) { $0.overlap = .allow })
      let skips = scene.wish(WallInstant(milliseconds: slot.milliseconds - 200)) {
        $0.overlap = .skip
      }
      try scene.equal(try scene.claim(one, skips), .busy, "one that must not")
      try scene.engine.pass(ClaimScene.lease)
      _ = try scene.renew(one)
      try scene.equal(try scene.claim(one, skips), .skipped(.overlap), "after a lease")
    },
    copied("no slot is decided that may have been another's") { scene, engine in
      let one = try scene.join()
      try engine.keepCopy()
      try engine.failOver()
      let decide = ClaimRequest.decide(scene.job, SlotSeries(scene.slot(1)), .missed(.stalled))
      try scene.equal(try scene.ask(one, decide), .early(ClaimScene.lease), "at once")
      try scene.engine.pass(ClaimScene.lease)
      _ = try scene.renew(one)
      try scene.equal(try scene.ask(one, decide), .done, "after a lease")
    },
  ]

  private static func copied(
    _ name: String, _ clause: @escaping @Sendable (ClaimScene, any CopiedTestEngine) throws -> Void
  ) -> ClaimContract {
    ClaimContract(name) { scene in
      let engine = try scene.unwrap(scene.engine as? any CopiedTestEngine, "an engine with copies")
      try clause(scene, engine)
    }
  }
}
