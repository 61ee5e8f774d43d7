import TaktCore
import TaktTime

extension ClaimContract {
  static let rests: [ClaimContract] = [
    .ofTwo("a job with a rest has no slot sooner after the last one") { scene, one, two in
      let rest = ClaimRequest.declare(scene.job, schedule: 7, isChanged: true, rest: .seconds(30))
      for member in [one, two] {
        try scene.equal(try scene.ask(member, rest), .done, "declare")
      }
      try scene.equal(try scene.ask(two, .lastEnd(scene.job)), .ended(nil), "before the first")
      func claim(_ slot: WallInstant) -> SlotClaim { scene.wish(slot) { $0.schedule = 7 } }
      let token = try scene.grant(one, claim(scene.slot(1)))
      try scene.equal(try scene.ask(two, .lastEnd(scene.job)), .busy, "while it runs")
      try scene.equal(
        try scene.claim(two, claim(scene.slot(0))), .ended(nil), "another slot while it runs")
      try scene.engine.pass(.seconds(5))
      _ = try scene.renew(one)
      _ = try scene.renew(two, "two")
      try scene.ask(one, .end(token, .succeeded, reason: ""))
      let end = WallInstant(milliseconds: scene.engine.now.milliseconds)
      try scene.equal(try scene.ask(two, .lastEnd(scene.job)), .ended(end), "after it")
      try scene.equal(
        try scene.claim(two, claim(end + .seconds(29))), .ended(end), "a slot that comes too soon")
      try scene.equal(try scene.claim(two, claim(scene.slot(1))), .taken, "what has run")
      try scene.engine.pass(.seconds(14))
      _ = try scene.renew(one)
      _ = try scene.renew(two, "two")
      try scene.engine.pass(.seconds(14))
      _ = try scene.renew(one)
      _ = try scene.renew(two, "two")
      try scene.engine.pass(.seconds(2))
      _ = try scene.grant(two, claim(end + .seconds(30)))
    },
    .ofOne("a rest starts with whatever decides the last slot") { scene, one in
      func lastEnd() throws -> ClaimAnswer { try scene.ask(one, .lastEnd(scene.job)) }
      func now() -> ClaimAnswer {
        .ended(WallInstant(milliseconds: scene.engine.now.milliseconds))
      }
      try scene.ask(one, .declare(scene.job, schedule: 7, isChanged: true, rest: .seconds(1)))
      try scene.ask(one, .decide(scene.job, SlotSeries(scene.slot(9)), .missed(.down)))
      try scene.equal(try lastEnd(), now(), "missed")
      try scene.engine.pass(.seconds(3))
      try scene.ask(one, .ranUnclaimed(scene.job, scene.slot(1)))
      try scene.equal(try lastEnd(), now(), "without a claim")
      try scene.engine.pass(.seconds(3))
      let claim = scene.wish(WallInstant(milliseconds: scene.engine.now.milliseconds)) {
        $0.schedule = 7
        $0.limit = 0
      }
      try scene.equal(try scene.claim(one, claim), .skipped(.limit), "refused")
      try scene.equal(try lastEnd(), now(), "skipped")
      try scene.ask(one, .declare(scene.job, schedule: 8, isChanged: true))
      try scene.ask(one, .declare(scene.job, schedule: 7, isChanged: true, rest: .seconds(1)))
      try scene.equal(try lastEnd(), .ended(nil), "with a schedule that is new")
    },
  ]
}
