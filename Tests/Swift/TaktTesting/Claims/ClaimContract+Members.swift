import TaktCore
import TaktTime

extension ClaimContract {
  static let owners: [ClaimContract] = [
    .ofTwo("a slot is given to one machine") { scene, one, two in
      _ = try scene.grant(one, scene.wish(scene.slot(1)))
      try scene.equal(try scene.claim(two, scene.wish(scene.slot(1))), .taken, "the other")
    },
    ClaimContract("tokens grow over slots, jobs and machines") { scene in
      let other = ClaimScene.name("b")
      let (one, two) = (try scene.join("one", other), try scene.join("two", other))
      var tokens: [ClaimToken] = []
      for minute in 1...4 {
        tokens.append(try scene.grant(one, scene.wish(scene.slot(minute))))
        tokens.append(try scene.grant(two, scene.wish(scene.slot(minute), of: other)))
      }
      try scene.equal(tokens, tokens.sorted(), "the tokens")
      try scene.equal(Set(tokens).count, 8, "different tokens")
    },
    .ofTwo("nothing of a former membership is waited for") { scene, one, two in
      let wish = scene.wish(scene.slot(1)) {
        $0.overlap = .skip
        $0.isAtLeastOnce = true
      }
      let token = try scene.grant(one, wish)
      let next = try scene.join()
      try scene.equal(try scene.ask(two, .retire(one)), .superseded, "another machine says so")
      try scene.equal(try scene.ask(next, .retire(next)), .superseded, "of itself")
      try scene.equal(try scene.ask(next, .retire(one)), .done, "of its own")
      try scene.equal(try scene.ask(next, .retire(one)), .superseded, "again")
      try scene.equal(try scene.renew(next).open.map(\.slot), [scene.slot(1)], "its slot")
      let end = ClaimRequest.end(token, .succeeded, reason: "exit(0)")
      try scene.equal(try scene.send(one, [end]).member, nil, "its own words")
      _ = try scene.grant(two, wish, attempt: 2)
    },
    ClaimContract("members are different, whatever their names") { scene in
      let (one, two) = (try scene.join(), try scene.join())
      try scene.isTrue(one < two, "a higher number for the second")
      let news = try scene.renew(two)
      try scene.equal(news.members.map(\.id), [one, two], "the members")
      try scene.equal(news.members.map(\.facts), [scene.facts(), scene.facts()], "their facts")
      try scene.equal(news.members.map(\.isAlive), [true, true], "alive")
    },
    .ofTwo("a member's address is what it said last") { scene, one, two in
      for address in [nil, "http://a-1.example:8080", "https://[::1]:1", nil] {
        var facts = scene.facts()
        facts.api = address
        let news = try scene.unwrap(scene.send(one, facts: facts).news, "the news")
        try scene.equal(news.members.map(\.facts.api), [address, nil], "in its own news")
        let seen = try scene.renew(two, "two").members.map(\.facts.api)
        try scene.equal(seen, [address, nil], "in another's")
      }
    },
    .ofOne("a slot to come is refused with the time until then") { scene, one in
      let slot = scene.slot(-100)
      let ahead = slot - scene.engine.now
      try scene.equal(try scene.claim(one, scene.wish(slot)), .early(ahead), "too early")
      try scene.engine.pass(.seconds(5))
      try scene.equal(try scene.claim(one, scene.wish(slot)), .early(ahead - .seconds(5)), "nearer")
      try scene.engine.pass(.seconds(5))
      _ = try scene.renew(one)
      try scene.equal(
        try scene.ask(one, .ask(scene.job, [slot], schedule: scene.schedule)),
        .known([], displaced: []),
        "nothing is known of it")
    },
    ClaimContract("the news has a member's own claims") { scene in
      let (one, two) = (try scene.join(), try scene.join())
      let token = try scene.grant(one, scene.wish(scene.slot(1)))
      let held = ClusterNews.HeldClaim(token: token, job: scene.job, slot: scene.slot(1))
      try scene.equal(try scene.renew(one).held, [held], "its claims")
      try scene.equal(try scene.renew(two).held, [], "another's")
      try scene.ask(one, .end(token, .succeeded, reason: ""))
      try scene.equal(try scene.renew(one).held, [], "after its end")
    },
    ClaimContract("a run without a claim ends the claim of which its machine was not told") {
      scene in
      let one = try scene.join()
      _ = try scene.grant(one, scene.wish(scene.slot(1)))
      try scene.equal(try scene.ask(one, .ranUnclaimed(scene.job, scene.slot(1))), .done, "first")
      try scene.equal(try scene.ask(one, .ranUnclaimed(scene.job, scene.slot(1))), .done, "again")
      let next = scene.wish(scene.slot(0)) { $0.overlap = .skip }
      _ = try scene.grant(one, next)
    },
    ClaimContract("a run without a claim is its machine's, whatever its membership by now") {
      scene in
      let (one, two) = (try scene.join(), try scene.join("two"))
      try scene.equal(try scene.ask(one, .ranUnclaimed(scene.job, scene.slot(1))), .done, "first")
      _ = try scene.grant(one, scene.wish(scene.slot(2)))
      let next = try scene.join()
      for number in 1...2 {
        try scene.equal(
          try scene.ask(next, .ranUnclaimed(scene.job, scene.slot(number), earlier: one)), .done,
          "again, as another member")
        try scene.equal(
          try scene.ask(two, .ranUnclaimed(scene.job, scene.slot(number))), .superseded,
          "another machine")
      }
    },
    ClaimContract("a run without a claim is no second one because others took it for lost") {
      scene in
      let (one, two) = (try scene.join(), try scene.join("two"))
      _ = try scene.grant(one, scene.wish(scene.slot(1)))
      try scene.lose(all: two)
      let next = try scene.join()
      let ran = ClaimRequest.ranUnclaimed(scene.job, scene.slot(1), earlier: one)
      try scene.equal(try scene.ask(next, ran), .done, "its machine")
      try scene.equal(try scene.ask(next, ran), .done, "again")
      try scene.equal(
        try scene.ask(two, .ranUnclaimed(scene.job, scene.slot(1))), .superseded,
        "another machine")
    },
    .ofOne("a batch that comes after a newer one is not done") { scene, one in
      let late = ClaimBatch(
        number: scene.lastNumber + 1, member: one, facts: nil,
        requests: [.suspend(scene.job, Suspension(since: scene.engine.now, until: nil, reason: ""))]
      )
      try scene.equal(try scene.engine.perform(late).answers, [.done], "in time")
      try scene.equal(try scene.engine.perform(late).answers, [.done], "repeated")
      scene.lastNumber += 1
      try scene.ask(one, .suspend(scene.job, nil))
      try scene.equal(try scene.engine.perform(late).member, nil, "late")
      try scene.equal(try scene.renew(one).suspended, [:], "the news")
    },
    .ofOne("nobody decides a slot that is still to come") { scene, one in
      let slot = scene.slot(-2)
      try scene.equal(
        try scene.ask(one, .decide(scene.job, SlotSeries(slot), .missed(.down))),
        .early(slot - scene.engine.now), "a fast machine takes it for missed")
      try scene.equal(
        try scene.ask(one, .ask(scene.job, [slot], schedule: scene.schedule)),
        .known([], displaced: []),
        "it is open")
    },
    .ofOne("a slot may be claimed a millisecond early") { scene, one in
      let slot = WallInstant(milliseconds: scene.engine.now.milliseconds + 1)
      _ = try scene.grant(one, scene.wish(slot))
      let next = WallInstant(milliseconds: scene.engine.now.milliseconds + 2)
      try scene.equal(
        try scene.claim(one, scene.wish(next)), .early(next - scene.engine.now), "two of them")
    },
    .ofOne("requests of a batch are done in their order") { scene, one in
      let (slot, name) = (scene.slot(1), ClaimScene.name("late"))
      let reply = try scene.send(
        one,
        [
          .claim(scene.wish(slot, of: name)),
          .declare(name, schedule: scene.schedule, isChanged: false),
          .ask(name, [slot], schedule: scene.schedule), .claim(scene.wish(slot, of: name)),
          .ask(name, [slot], schedule: scene.schedule),
        ])
      try scene.equal(reply.answers[0], .drifted, "before it is declared")
      try scene.equal(reply.answers[1], .done, "declare")
      try scene.equal(reply.answers[2], .known([], displaced: []), "before the claim")
      guard case .granted = reply.answers[3] else {
        throw ClaimViolation(description: "granted expected, \(reply.answers[3]) came")
      }
      try scene.equal(reply.answers[4], .known([slot], displaced: []), "after the claim")
    },
    .ofOne("many slots are claimed in one batch") { scene, one in
      let slots = (1...200).map { scene.slot($0) }
      let reply = try scene.send(one, slots.map { .claim(scene.wish($0)) })
      let tokens = reply.answers.compactMap { answer -> ClaimToken? in
        if case .granted(let token, attempt: 1) = answer { token } else { nil }
      }
      try scene.equal(tokens.count, 200, "grants")
      try scene.equal(tokens, tokens.sorted(), "the tokens")
      try scene.equal(
        try scene.ask(one, .ask(scene.job, [scene.slot(201)] + slots, schedule: scene.schedule)),
        .known(slots, displaced: []), "known")
      let ends = try scene.send(one, tokens.map { .end($0, .succeeded, reason: "exit(0)") })
      try scene.isTrue(ends.answers.allSatisfy { $0 == .done }, "all ended")
    },
  ]

  static let leases: [ClaimContract] = [
    .ofTwo("nothing is done for a member whose lease is over") { scene, one, two in
      let token = try scene.grant(one, scene.wish(scene.slot(1)))
      try scene.engine.pass(.seconds(8))
      _ = try scene.renew(two)
      try scene.engine.pass(.seconds(7))
      let slot = scene.slot(2)
      let reply = try scene.send(
        one, [.claim(scene.wish(slot)), .end(token, .succeeded, reason: "exit(0)")])
      try scene.equal(reply.member, nil, "its member")
      try scene.equal(reply.answers, [], "answers")
      try scene.equal(
        try scene.ask(two, .ask(scene.job, [slot, scene.slot(1)], schedule: scene.schedule)),
        .known([scene.slot(1)], displaced: []),
        "what was done")
      // No other machine has decided for it yet.
      try scene.equal(try scene.renew(one).held.map(\.token), [token], "after a renewal")
      try scene.equal(try scene.ask(one, .end(token, .succeeded, reason: "")), .done, "its end")
    },
    .ofTwo("a member that others have decided for does not renew its lease") { scene, one, two in
      try scene.lose(all: two)
      try scene.equal(try scene.send(one, facts: scene.facts()).member, nil, "its member")
    },
    .ofTwo("when nobody was heard all members have time for a lease more") { scene, one, two in
      let token = try scene.grant(one, scene.wish(scene.slot(1)) { $0.isAtLeastOnce = true })
      try scene.engine.pass(.seconds(60))
      let news = try scene.renew(two, "two")
      try scene.equal(news.open, [], "open slots")
      try scene.equal(news.members.map(\.id), [one, two], "the members")
      try scene.equal(news.members.map(\.isAlive), [false, true], "who is alive")
      for _ in 0..<2 {
        try scene.engine.pass(.seconds(7))
        _ = try scene.renew(two, "two")
      }
      try scene.equal(try scene.renew(one).held.map(\.token), [token], "its claims")
      try scene.equal(try scene.ask(one, .end(token, .succeeded, reason: "")), .done, "its end")
    },
    .ofTwo("who does not come back within that lease is lost") { scene, one, two in
      let slot = scene.slot(1)
      _ = try scene.grant(one, scene.wish(slot) { $0.isAtLeastOnce = true })
      try scene.engine.pass(.seconds(60))
      for _ in 0..<3 {
        _ = try scene.renew(two, "two")
        try scene.engine.pass(.seconds(5))
      }
      try scene.equal(try scene.renew(two, "two").open, [], "open at the end of that lease")
      try scene.engine.pass(.milliseconds(1))
      try scene.equal(try scene.renew(two, "two").open.map(\.slot), [slot], "open after it")
      try scene.equal(try scene.send(one, facts: scene.facts()).member, nil, "the lost one")
    },
    .ofTwo("a slot whose run was stopped with the lease is open at once") { scene, one, two in
      let claim = scene.wish(scene.slot(1)) { $0.isAtLeastOnce = true }
      let token = try scene.grant(one, claim)
      try scene.engine.pass(.seconds(8))
      _ = try scene.renew(two, "two")
      try scene.engine.pass(.seconds(8))
      let reply = try scene.send(one, facts: scene.facts(), [.giveBack(token)])
      try scene.equal(reply.answers, [.done], "given back")
      try scene.equal(try scene.renew(two, "two").open.map(\.slot), [claim.slot], "open slots")
      let next = try scene.grant(two, claim, attempt: 2)
      try scene.isTrue(token < next, "a higher token")
      try scene.equal(
        try scene.ask(one, .end(token, .cancelled, reason: "")), .superseded, "the first end")
    },
    .ofOne("a lease counts from each batch with facts, and from no other") { scene, one in
      for _ in 0..<3 {
        try scene.engine.pass(.seconds(14))
        _ = try scene.renew(one)
      }
      try scene.engine.pass(.seconds(14))
      try scene.equal(try scene.send(one).member, one, "alive")
      try scene.engine.pass(.seconds(1))
      try scene.equal(try scene.send(one).member, nil, "a second later")
    },
    ClaimContract("a member that nobody knows is answered like one whose lease is over") { scene in
      _ = try scene.join()
      try scene.equal(try scene.send(MemberID(987_654_321)).member, nil, "its member")
      try scene.equal(try scene.send(nil).member, nil, "without facts nobody joins")
    },
    .ofTwo("others wait for the grace before they decide for a machine") { scene, one, two in
      let slot = scene.slot(1)
      _ = try scene.grant(one, scene.wish(slot) { $0.isAtLeastOnce = true })
      try scene.engine.pass(.seconds(10))
      _ = try scene.renew(two)
      try scene.engine.pass(.seconds(10))
      let news = try scene.renew(two)
      try scene.equal(news.open, [], "open at the end of the grace")
      try scene.equal(news.members.map(\.isAlive), [false, true], "who is alive")
      try scene.engine.pass(.milliseconds(1))
      let later = try scene.renew(two)
      try scene.equal(later.open, [.init(job: scene.job, slot: slot)], "open after it")
      try scene.equal(later.members.map(\.id), [two], "who is left")
    },
    .ofTwo("a slot of a lost machine is open for another attempt") { scene, one, two in
      let claim = scene.wish(scene.slot(1)) { $0.isAtLeastOnce = true }
      let old = try scene.grant(one, claim)
      try scene.lose(all: two)
      let new = try scene.grant(two, claim, attempt: 2)
      try scene.isTrue(old < new, "a higher token")
      try scene.equal(try scene.renew(two).open, [], "open slots")
      try scene.equal(
        try scene.ask(two, .end(old, .succeeded, reason: "exit(0)")), .superseded, "the first end")
      try scene.equal(
        try scene.ask(two, .end(new, .succeeded, reason: "exit(0)")), .done, "the second end")
    },
    .ofTwo("a slot that runs at most once is interrupted with its machine") { scene, one, two in
      let token = try scene.grant(one, scene.wish(scene.slot(1)))
      try scene.lose(all: two)
      try scene.equal(try scene.renew(two).open, [], "open slots")
      try scene.equal(try scene.claim(two, scene.wish(scene.slot(1))), .taken, "the claim")
      try scene.equal(
        try scene.ask(two, .end(token, .succeeded, reason: "exit(0)")), .superseded, "its end")
    },
    .ofTwo("a lost slot whose time is over is not opened") { scene, one, two in
      let claim = scene.wish(scene.slot(1)) {
        $0.isAtLeastOnce = true
        $0.validUntil = scene.engine.now + .seconds(20)
      }
      _ = try scene.grant(one, claim)
      try scene.lose(all: two)
      try scene.equal(try scene.renew(two).open, [], "open slots")
      try scene.equal(try scene.claim(two, claim), .taken, "the claim")
    },
    .ofOne("an open slot is closed when its time is over") { scene, one in
      let claim = scene.wish(scene.slot(1)) { $0.validUntil = scene.engine.now + .seconds(10) }
      let token = try scene.grant(one, claim)
      try scene.equal(try scene.ask(one, .giveBack(token)), .done, "given back")
      try scene.engine.pass(.seconds(10))
      try scene.equal(try scene.renew(one).open.map(\.slot), [claim.slot], "open")
      try scene.engine.pass(.milliseconds(1))
      try scene.equal(try scene.claim(one, claim), .taken, "too late")
      try scene.equal(try scene.renew(one).open, [], "open later")
    },
    .ofOne("an earlier member's claim is handed over") { scene, one in
      let claim = scene.wish(scene.slot(1)) {
        $0.overlap = .skip
        $0.group = "g"
        $0.groupMax = 1
      }
      let old = try scene.grant(one, claim)
      try scene.engine.pass(.seconds(16))
      let again = try scene.join()
      let other = try scene.join("two")
      try scene.equal(try scene.claim(other, claim), .taken, "another machine's")
      var renewed = claim
      renewed.earlier = one
      let new = try scene.grant(again, renewed, attempt: 2)
      try scene.isTrue(old < new, "a higher token")
      try scene.equal(
        try scene.ask(again, .end(old, .succeeded, reason: "exit(0)")), .superseded, "the old one")
      try scene.equal(
        try scene.ask(again, .end(new, .succeeded, reason: "exit(0)")), .done, "the new one")
    },
    .ofOne("a run may end in another membership while nobody has decided for it") { scene, one in
      let token = try scene.grant(one, scene.wish(scene.slot(1)))
      try scene.engine.pass(.seconds(16))
      let again = try scene.join()
      try scene.equal(
        try scene.ask(again, .end(token, .failed, reason: "exit(1)")), .done, "its end")
      try scene.lose(all: again)
      try scene.equal(
        try scene.ask(again, .end(token, .failed, reason: "exit(1)")), .done, "its end again")
    },
    .ofTwo("a machine that leaves is gone at once") { scene, one, two in
      let claim = scene.wish(scene.slot(1)) { $0.isAtLeastOnce = true }
      let token = try scene.grant(one, claim)
      let reply = try scene.send(one, leaves: true, [.giveBack(token)])
      try scene.equal(reply.member, one, "the member")
      try scene.equal(reply.answers, [.done], "what it wanted")
      try scene.equal(try scene.send(one).member, nil, "afterwards")
      let news = try scene.renew(two)
      try scene.equal(news.members.map(\.id), [two], "who is left")
      try scene.equal(news.open.map(\.slot), [claim.slot], "open slots")
    },
    .ofTwo("what a machine that left had is decided by the others") { scene, one, two in
      let slots = [scene.slot(2), scene.slot(1)]
      _ = try scene.grant(one, scene.wish(slots[0]) { $0.isAtLeastOnce = true })
      _ = try scene.grant(one, scene.wish(slots[1]))
      try scene.send(one, facts: scene.facts(), leaves: true)
      try scene.equal(try scene.renew(two).open.map(\.slot), [slots[0]], "open slots")
    },
  ]
}
