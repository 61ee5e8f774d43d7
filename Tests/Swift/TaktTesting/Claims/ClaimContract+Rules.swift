import TaktCore
import TaktTime

extension ClaimContract {
  static let repeats: [ClaimContract] = [
    .ofOne("a repeated claim is answered with the same token") { scene, one in
      let claim = scene.wish(scene.slot(1)) {
        $0.limit = 1
        $0.overlap = .skip
      }
      let token = try scene.grant(one, claim)
      try scene.equal(try scene.grant(one, claim), token, "the token")
    },
    .ofTwo("a repeated claim is answered alike though the schedule has changed") {
      scene, one, two in
      let token = try scene.grant(one, scene.wish(scene.slot(1)))
      try scene.equal(
        try scene.ask(two, .declare(scene.job, schedule: 9, isChanged: true)), .done, "declare")
      try scene.equal(try scene.grant(one, scene.wish(scene.slot(1))), token, "the token")
      try scene.equal(try scene.claim(one, scene.wish(scene.slot(2))), .drifted, "another slot")
    },
    .ofTwo("a repeated claim that was refused is refused alike") { scene, one, two in
      _ = try scene.grant(one, scene.wish(scene.slot(2)))
      let claim = scene.wish(scene.slot(1)) { $0.overlap = .skip }
      try scene.equal(try scene.claim(one, claim), .skipped(.overlap), "refused")
      try scene.equal(try scene.claim(one, claim), .skipped(.overlap), "refused again")
      try scene.equal(try scene.claim(two, claim), .taken, "another machine's")
      try scene.engine.pass(.seconds(16))
      let again = try scene.join()
      var renewed = claim
      renewed.earlier = one
      try scene.equal(try scene.claim(again, renewed), .skipped(.overlap), "in the next membership")
    },
    .ofOne("a repeated end is done once") { scene, one in
      let token = try scene.grant(one, scene.wish(scene.slot(1)))
      let end = ClaimRequest.end(token, .failed, reason: "exit(3)")
      try scene.equal(try scene.ask(one, end), .done, "the end")
      try scene.equal(try scene.ask(one, end), .done, "the end again")
      try scene.equal(
        try scene.ask(one, .end(token, .succeeded, reason: "exit(0)")), .superseded, "another end")
      try scene.equal(
        try scene.ask(one, .end(ClaimToken(987_654_321), .succeeded, reason: "")), .superseded,
        "an unknown token")
    },
    .ofOne("a repeated return of a claim is done once") { scene, one in
      let token = try scene.grant(one, scene.wish(scene.slot(1)))
      try scene.equal(try scene.ask(one, .giveBack(token)), .done, "given back")
      try scene.equal(try scene.ask(one, .giveBack(token)), .done, "given back again")
      try scene.equal(try scene.renew(one).open.map(\.slot), [scene.slot(1)], "open slots")
      let next = try scene.grant(one, scene.wish(scene.slot(1)), attempt: 2)
      try scene.equal(try scene.ask(one, .giveBack(token)), .superseded, "the old claim")
      try scene.equal(try scene.ask(one, .end(next, .succeeded, reason: "")), .done, "the end")
      try scene.equal(try scene.ask(one, .giveBack(next)), .superseded, "what has ended")
    },
    .ofTwo("a repeated run without a claim is no second one") { scene, one, two in
      let ran = ClaimRequest.ranUnclaimed(scene.job, scene.slot(1))
      try scene.equal(try scene.ask(one, ran), .done, "a run without a claim")
      try scene.equal(try scene.ask(one, ran), .done, "the same")
      try scene.equal(try scene.ask(two, ran), .superseded, "another machine's")
      try scene.equal(try scene.claim(two, scene.wish(scene.slot(1))), .taken, "a claim")
    },
    .ofOne("repeated decisions, suspensions and declarations change nothing more") { scene, one in
      let series = SlotSeries(first: scene.slot(9), last: scene.slot(5), count: 5)
      let requests: [ClaimRequest] = [
        .declare(scene.job, schedule: scene.schedule, isChanged: true),
        .decide(scene.job, SlotSeries(scene.slot(1)), .missed(.down)),
        .decide(scene.job, series, .missed(.asleep)),
        .suspend(scene.job, Suspension(since: scene.slot(3), reason: "why")),
      ]
      for _ in 0..<2 {
        let reply = try scene.send(one, facts: scene.facts(), requests)
        try scene.equal(reply.answers, [.done, .done, .done, .done], "the answers")
        try scene.equal(
          reply.news?.suspended, [scene.job: Suspension(since: scene.slot(3), reason: "why")],
          "suspended")
      }
    },
  ]

  static let overlaps: [ClaimContract] = [
    .ofTwo("overlap skip decides a slot while another runs") { scene, one, two in
      let token = try scene.grant(one, scene.wish(scene.slot(3)))
      let claim = scene.wish(scene.slot(2)) { $0.overlap = .skip }
      try scene.equal(try scene.claim(two, claim), .skipped(.overlap), "beside a run")
      try scene.ask(one, .end(token, .succeeded, reason: ""))
      try scene.equal(try scene.claim(one, claim), .taken, "the same slot")
      _ = try scene.grant(two, scene.wish(scene.slot(1)) { $0.overlap = .skip })
    },
    .ofTwo("overlap queue waits for the others") { scene, one, two in
      let token = try scene.grant(one, scene.wish(scene.slot(2)))
      let claim = scene.wish(scene.slot(1)) { $0.overlap = .queue }
      try scene.equal(try scene.claim(two, claim), .busy, "beside a run")
      try scene.equal(
        try scene.ask(two, .ask(scene.job, [claim.slot], schedule: scene.schedule)),
        .known([claim.slot], displaced: []), "known")
      try scene.equal(try scene.renew(one).open.map(\.slot), [claim.slot], "open for all")
      try scene.ask(one, .end(token, .succeeded, reason: ""))
      _ = try scene.grant(two, claim)
    },
    .ofTwo("overlap replace stops the others, and starts after them") { scene, one, two in
      let token = try scene.grant(one, scene.wish(scene.slot(2)))
      let claim = scene.wish(scene.slot(1)) { $0.overlap = .replace }
      try scene.equal(try scene.renew(one).replaced, [], "replaced before")
      try scene.equal(try scene.claim(two, claim), .busy, "beside a run")
      try scene.equal(try scene.renew(one).replaced, [token], "replaced")
      try scene.equal(try scene.renew(two, "two").replaced, [], "replaced of the other")
      try scene.ask(one, .end(token, .cancelled, reason: "replaced"))
      try scene.equal(try scene.renew(one).replaced, [], "replaced after the end")
      let next = try scene.grant(two, claim)
      let older = scene.wish(scene.slot(3)) { $0.overlap = .replace }
      try scene.equal(try scene.claim(one, older), .skipped(.overlap), "an older slot")
      try scene.equal(try scene.renew(two, "two").replaced, [], "replaced by an older one")
      try scene.ask(two, .end(next, .succeeded, reason: ""))
    },
    ClaimContract("what a lost machine may have run is interrupted where a newer slot runs") {
      scene in
      let (one, two) = (try scene.join(), try scene.join("two"))
      let lost = scene.wish(scene.slot(3)) {
        $0.overlap = .replace
        $0.isAtLeastOnce = true
      }
      _ = try scene.grant(one, lost)
      try scene.lose(all: two)
      _ = try scene.grant(two, scene.wish(scene.slot(2)) { $0.overlap = .replace })
      try scene.equal(try scene.claim(two, lost), .taken, "the older slot")
      try scene.equal(try scene.renew(two, "two").open, [], "open slots")
    },
    .ofTwo("overlap allow starts beside others") { scene, one, two in
      _ = try scene.grant(one, scene.wish(scene.slot(2)))
      _ = try scene.grant(two, scene.wish(scene.slot(1)))
    },
    .ofTwo("an open slot waits for others rather than being skipped") { scene, one, two in
      let claim = scene.wish(scene.slot(2)) { $0.overlap = .skip }
      let token = try scene.grant(one, claim)
      try scene.ask(one, .giveBack(token))
      let other = try scene.grant(one, scene.wish(scene.slot(1)))
      try scene.equal(try scene.claim(two, claim), .busy, "beside a run")
      try scene.ask(one, .end(other, .succeeded, reason: ""))
      _ = try scene.grant(two, claim, attempt: 2)
    },
  ]

  static let bounds: [ClaimContract] = [
    ClaimContract("a group's bound counts the runs of all its jobs and machines") { scene in
      let (b, c) = (ClaimScene.name("b"), ClaimScene.name("c"))
      let (one, two) = (try scene.join("one", b, c), try scene.join("two", b, c))
      func wish(_ name: JobName?) -> SlotClaim {
        scene.wish(scene.slot(1), of: name) {
          $0.group = "database"
          $0.groupMax = 2
        }
      }
      let first = try scene.grant(one, wish(nil))
      _ = try scene.grant(two, wish(b))
      try scene.equal(try scene.claim(one, wish(c)), .busy, "the third")
      try scene.equal(
        try scene.claim(two, scene.wish(scene.slot(2), of: c) { $0.group = "other" }).isGrant,
        true, "another group's")
      try scene.ask(one, .end(first, .succeeded, reason: ""))
      _ = try scene.grant(one, wish(c))
    },
    .ofTwo("a group's place is free when its machine is lost") { scene, one, two in
      func wish(_ minute: Int) -> SlotClaim {
        scene.wish(scene.slot(minute)) {
          $0.group = "g"
          $0.groupMax = 1
        }
      }
      _ = try scene.grant(one, wish(2))
      try scene.equal(try scene.claim(two, wish(1)), .busy, "meanwhile")
      try scene.lose(all: two)
      _ = try scene.grant(two, wish(1))
    },
    .ofTwo("a limit counts the slots that ran on any machine") { scene, one, two in
      for (member, minute) in [(one, 4), (two, 3)] {
        let token = try scene.grant(member, scene.wish(scene.slot(minute)) { $0.limit = 2 })
        try scene.ask(member, .end(token, .succeeded, reason: ""))
      }
      let third = scene.wish(scene.slot(2)) { $0.limit = 2 }
      try scene.equal(try scene.claim(one, third), .skipped(.limit), "the third")
      _ = try scene.grant(one, scene.wish(scene.slot(1)) { $0.limit = 3 })
    },
    .ofOne("another attempt at a slot does not count against the limit") { scene, one in
      let claim = scene.wish(scene.slot(1)) { $0.limit = 1 }
      try scene.ask(one, .giveBack(try scene.grant(one, claim)))
      _ = try scene.grant(one, claim, attempt: 2)
    },
    .ofOne("a slot that is claimed again counts once against the limit") { scene, one in
      let again = scene.wish(scene.slot(2)) { $0.limit = 2 }
      try scene.ask(one, .giveBack(try scene.grant(one, again)))
      let token = try scene.grant(one, again, attempt: 2)
      try scene.ask(one, .end(token, .succeeded, reason: ""))
      _ = try scene.grant(one, scene.wish(scene.slot(1)) { $0.limit = 2 })
    },
    .ofTwo("a suspended job's slots are skipped, until it is over") { scene, one, two in
      let suspension = Suspension(
        since: scene.engine.now, until: scene.engine.now + .seconds(10), reason: "upgrade ✓")
      try scene.equal(try scene.ask(one, .suspend(scene.job, suspension)), .done, "suspend")
      try scene.equal(try scene.renew(two).suspended, [scene.job: suspension], "the news")
      let skipped = scene.wish(scene.slot(2))
      try scene.equal(try scene.claim(two, skipped), .skipped(.suspended), "a claim")
      try scene.engine.pass(.seconds(10))
      try scene.equal(try scene.claim(one, skipped), .taken, "the same slot later")
      _ = try scene.grant(two, scene.wish(scene.slot(1)))
    },
    .ofOne("a job is suspended until it is resumed") { scene, one in
      let suspension = Suspension(since: scene.engine.now)
      try scene.ask(one, .suspend(scene.job, suspension))
      try scene.equal(
        try scene.claim(one, scene.wish(scene.slot(2))), .skipped(.suspended), "a claim")
      try scene.ask(one, .suspend(scene.job, nil))
      try scene.equal(try scene.renew(one).suspended, [:], "the news")
      _ = try scene.grant(one, scene.wish(scene.slot(1)))
    },
  ]

  static let texts: [ClaimContract] = [
    ClaimContract("names of 128 characters") { scene in
      let name = ClaimScene.name(String(repeating: "Ab.-_9", count: 21) + "zz")
      let one = try scene.join("one", name)
      let token = try scene.grant(one, scene.wish(scene.slot(1), of: name))
      try scene.equal(
        try scene.ask(one, .ask(name, [scene.slot(1)], schedule: scene.schedule)),
        .known([scene.slot(1)], displaced: []), "it")
      try scene.equal(try scene.ask(one, .giveBack(token)), .done, "given back")
      try scene.equal(try scene.renew(one).open.map(\.job), [name], "open slots")
    },
    ClaimContract("instants before 1970") { scene in
      try scene.engine.start(at: WallInstant(milliseconds: -1_234_567_890_123))
      let one = try scene.join()
      let slot = scene.slot(1)
      let token = try scene.grant(
        one, scene.wish(slot) { $0.validUntil = scene.engine.now + .seconds(1) })
      try scene.ask(one, .giveBack(token))
      try scene.equal(try scene.renew(one).open.map(\.slot), [slot], "open slots")
      let ahead = WallInstant(milliseconds: 1) - scene.engine.now
      try scene.equal(
        try scene.claim(one, scene.wish(WallInstant(milliseconds: 1))), .early(ahead), "after 1970")
      let suspension = Suspension(since: slot, until: scene.slot(0), reason: "")
      try scene.ask(one, .suspend(scene.job, suspension))
      try scene.equal(try scene.renew(one).suspended, [scene.job: suspension], "suspended")
    },
    .ofOne("instants at the ends of the clock") { scene, one in
      let far = WallInstant(milliseconds: .max / 1_000_000)
      try scene.equal(
        try scene.claim(one, scene.wish(far)), .early(far - scene.engine.now), "the last slot")
      let first = WallInstant(milliseconds: .min / 1_000_000)
      try scene.equal(try scene.claim(one, scene.wish(first)), .taken, "the first slot")
      let token = try scene.grant(
        one,
        scene.wish(scene.slot(1)) {
          $0.validUntil = WallInstant(nanoseconds: .max)
          $0.isAtLeastOnce = true
        })
      try scene.equal(try scene.ask(one, .end(token, .succeeded, reason: "")), .done, "its end")
    },
    ClaimContract("labels, names and reasons in any letters") { scene in
      var facts = scene.facts("Rechner №1 „ö“")
      facts.host = "хост\\'\"$1\n"
      facts.labels = ["où": "là-bas 🏝", "": "", "a=b, c": "\u{1}\u{7f}", "e\u{301}": "é"]
      facts.clockOffset = .nanoseconds(-123_456_789)
      let reply = try scene.send(nil, facts: facts)
      try scene.equal(reply.news?.members.map(\.facts), [facts], "the facts")
      let one = try scene.join()
      let claim = scene.wish(scene.slot(1)) {
        $0.group = "groupe d’été"
        $0.groupMax = 1
      }
      let token = try scene.grant(one, claim)
      let reason = "exit(1): \u{202e}«ä» \" \\ \t 🧨"
      try scene.equal(try scene.ask(one, .end(token, .failed, reason: reason)), .done, "the end")
      try scene.equal(try scene.ask(one, .end(token, .failed, reason: reason)), .done, "again")
    },
    .ofOne("a reason with a zero byte") { scene, one in
      let token = try scene.grant(one, scene.wish(scene.slot(1)))
      let end = ClaimRequest.end(token, .failed, reason: "a\0b")
      try scene.equal(try scene.ask(one, end), .done, "the end")
      try scene.equal(try scene.ask(one, end), .done, "the end again")
    },
  ]
}

extension ClaimAnswer {
  fileprivate var isGrant: Bool { if case .granted = self { true } else { false } }
}
