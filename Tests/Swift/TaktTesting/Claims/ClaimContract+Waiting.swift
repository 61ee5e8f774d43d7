import TaktCore
import TaktTime

extension ClaimContract {
  /// Slots that wait in turn.
  static let waiting: [ClaimContract] = [
    ClaimContract("a slot that waits for a run of its job is not missed, however long that takes") {
      scene in
      let (one, two) = (try scene.join(), try scene.join("two"))
      let token = try scene.grant(one, scene.wish(scene.slot(3)) { $0.overlap = .queue })
      let claims = [2, 1].map { minute in
        scene.wish(scene.slot(minute)) {
          $0.overlap = .queue
          $0.validUntil = scene.engine.now + .seconds(2)
        }
      }
      for claim in claims { try scene.equal(try scene.claim(one, claim), .busy, "beside a run") }
      let slots = claims.map(\.slot)
      for _ in 0..<10 {
        try scene.engine.pass(.seconds(8))
        _ = try scene.renew(one)
        try scene.equal(try scene.renew(two, "two").open.map(\.slot), slots, "open for all")
        // The older one alone is asked for.
        try scene.equal(try scene.claim(two, claims[0]), .busy, "still beside it")
        try scene.equal(
          try scene.ask(two, .decide(scene.job, SlotSeries(slots[1]), .missed(.stalled))), .taken,
          "a decision of a machine that was away")
      }
      try scene.ask(one, .end(token, .succeeded, reason: ""))
      let next = try scene.grant(two, claims[0])
      try scene.equal(try scene.claim(one, claims[1]), .busy, "one after the other")
      try scene.ask(two, .end(next, .succeeded, reason: ""))
      _ = try scene.grant(one, claims[1])
      try scene.equal(try scene.renew(two, "two").open, [], "in the end")
    },
    .ofOne("a slot that waits and that nobody asks for any more is missed") { scene, one in
      let token = try scene.grant(one, scene.wish(scene.slot(2)) { $0.overlap = .queue })
      let claim = scene.wish(scene.slot(1)) {
        $0.overlap = .queue
        $0.validUntil = scene.engine.now + .seconds(2)
      }
      try scene.equal(try scene.claim(one, claim), .busy, "beside a run")
      try scene.ask(one, .end(token, .succeeded, reason: ""))
      for _ in 0..<3 {
        try scene.engine.pass(.seconds(10))
        try scene.equal(try scene.renew(one).open.map(\.slot), [claim.slot], "open meanwhile")
      }
      try scene.engine.pass(.milliseconds(1))
      try scene.equal(try scene.renew(one).open, [], "open after two leases")
      try scene.equal(try scene.claim(one, claim), .taken, "a claim")
    },
    .ofOne("a slot that waited counts once against the limit") { scene, one in
      func wish(_ minute: Int) -> SlotClaim {
        scene.wish(scene.slot(minute)) {
          $0.overlap = .queue
          $0.limit = 2
        }
      }
      let first = try scene.grant(one, wish(3))
      try scene.equal(try scene.claim(one, wish(2)), .busy, "the second, beside the first")
      try scene.ask(one, .end(first, .succeeded, reason: ""))
      let second = try scene.grant(one, wish(2))
      try scene.equal(try scene.claim(one, wish(1)), .skipped(.limit), "the third")
      try scene.ask(one, .end(second, .succeeded, reason: ""))
    },
    .ofTwo("slots that wait are skipped with the job's suspension") { scene, one, two in
      _ = try scene.grant(one, scene.wish(scene.slot(2)) { $0.overlap = .queue })
      let claim = scene.wish(scene.slot(1)) { $0.overlap = .queue }
      try scene.equal(try scene.claim(two, claim), .busy, "beside a run")
      try scene.ask(one, .suspend(scene.job, Suspension(since: scene.slot(0), reason: "")))
      try scene.equal(try scene.renew(two, "two").open, [], "open slots")
      try scene.ask(one, .suspend(scene.job, nil))
      try scene.equal(try scene.claim(two, claim), .taken, "a claim")
    },
    .ofTwo("a run without a claim serves a slot that waits") { scene, one, two in
      _ = try scene.grant(one, scene.wish(scene.slot(2)) { $0.overlap = .queue })
      let claim = scene.wish(scene.slot(1)) { $0.overlap = .queue }
      try scene.equal(try scene.claim(two, claim), .busy, "beside a run")
      let ran = ClaimRequest.ranUnclaimed(scene.job, claim.slot)
      try scene.equal(try scene.ask(two, ran), .done, "the run")
      try scene.equal(try scene.ask(two, ran), .done, "the run again")
      try scene.equal(try scene.ask(one, ran), .superseded, "another one's")
      try scene.equal(try scene.claim(two, claim), .taken, "a claim")
    },
    ClaimContract(
      "a slot that waits for its group is not missed, and one that replaces does not wait"
    ) {
      scene in
      let other = ClaimScene.name("b")
      let one = try scene.join("one", other)
      func wish(_ minute: Int, of name: JobName? = nil, _ overlap: Overlap) -> SlotClaim {
        scene.wish(scene.slot(minute), of: name) {
          $0.overlap = overlap
          $0.group = "g"
          $0.groupMax = 1
          $0.validUntil = scene.engine.now + .seconds(2)
        }
      }
      let token = try scene.grant(one, wish(3, .skip))
      let (waits, replaces) = (wish(2, of: other, .skip), wish(1, .replace))
      try scene.equal(try scene.claim(one, waits), .busy, "of another job")
      try scene.equal(try scene.claim(one, replaces), .busy, "of the same job")
      try scene.engine.pass(.seconds(5))
      try scene.equal(try scene.renew(one).open.map(\.slot), [waits.slot], "open slots")
      try scene.ask(one, .end(token, .cancelled, reason: "replaced"))
      _ = try scene.grant(one, waits)
    },
  ]
}
