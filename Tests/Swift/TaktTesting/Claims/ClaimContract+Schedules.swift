import TaktCore
import TaktTime

extension ClaimContract {
  static let schedules: [ClaimContract] = [
    .ofOne("what an old schedule names after its end was never a slot") { scene, one in
      try scene.engine.pass(.seconds(5))
      let before = WallInstant(milliseconds: scene.engine.now.milliseconds - 1000)
      let after = before + .seconds(3)
      try scene.ask(one, .declare(scene.job, schedule: 9, isChanged: true))
      try scene.engine.pass(.seconds(4))
      try scene.equal(
        try scene.ask(one, .ask(scene.job, [before, after], schedule: scene.schedule)),
        .known([after], displaced: [after]), "by the old one")
      try scene.equal(
        try scene.ask(one, .ask(scene.job, [before, after], schedule: 9)),
        .known([], displaced: []),
        "by the new one")
    },
    .ofOne("a job that nobody has declared cannot be claimed") { scene, one in
      let name = ClaimScene.name("unknown")
      try scene.equal(
        try scene.claim(one, scene.wish(scene.slot(1), of: name)), .drifted, "a claim")
      try scene.equal(
        try scene.ask(one, .ask(name, [scene.slot(1)], schedule: scene.schedule)),
        .known([], displaced: []),
        "known")
      try scene.equal(
        try scene.ask(one, .decide(name, SlotSeries(scene.slot(1)), .missed(.down))), .done,
        "a decision")
      try scene.equal(try scene.ask(one, .ranUnclaimed(name, scene.slot(1))), .done, "a run")
      try scene.equal(
        try scene.ask(one, .suspend(name, Suspension(since: scene.slot(1)))), .done, "suspend")
      try scene.equal(try scene.renew(one).suspended, [:], "suspended")
      try scene.equal(
        try scene.ask(one, .declare(name, schedule: 7, isChanged: false)), .done, "declare")
      try scene.equal(
        try scene.ask(one, .ask(name, [scene.slot(1)], schedule: scene.schedule)),
        .known([], displaced: []),
        "known then")
    },
    .ofTwo("another schedule drifts while a machine has the one in force") { scene, one, two in
      try scene.equal(
        try scene.ask(two, .declare(scene.job, schedule: 9, isChanged: false)), .drifted, "declare")
      try scene.equal(
        try scene.claim(two, scene.wish(scene.slot(1)) { $0.schedule = 9 }), .drifted, "a claim")
      _ = try scene.grant(one, scene.wish(scene.slot(1)))
    },
    ClaimContract("a schedule that was never in force is news of a machine that knows no other") {
      scene in
      let (one, two) = (try scene.join(), try scene.join("two"))
      try scene.equal(
        try scene.ask(two, .declare(scene.job, schedule: 9, isChanged: false, isNew: true)), .done,
        "a new one")
      try scene.equal(
        try scene.ask(
          one, .declare(scene.job, schedule: scene.schedule, isChanged: false, isNew: true)),
        .drifted, "one that was in force")
      for schedule in UInt64(10)...30 {
        try scene.equal(
          try scene.ask(two, .declare(scene.job, schedule: schedule, isChanged: true)), .done,
          "many")
      }
      try scene.equal(
        try scene.ask(one, .declare(scene.job, schedule: 29, isChanged: false, isNew: true)),
        .drifted, "one of the newest")
      try scene.equal(
        try scene.ask(
          one, .declare(scene.job, schedule: scene.schedule, isChanged: false, isNew: true)), .done,
        "one that is forgotten")
    },
    .ofTwo("the newest zone data count") { scene, one, two in
      func zones(_ digest: UInt64, _ version: String) -> ClaimRequest {
        .declare(
          scene.job, schedule: scene.schedule, isChanged: false,
          zones: ScheduleZones(digest: digest, version: version))
      }
      try scene.equal(try scene.ask(one, zones(7, "2025b")), .done, "the first")
      try scene.equal(try scene.ask(two, zones(7, "2025a")), .done, "equal in other data")
      try scene.equal(try scene.ask(two, zones(8, "2025a")), .drifted, "older")
      try scene.equal(try scene.claim(two, scene.wish(scene.slot(1))), .drifted, "an older claim")
      try scene.equal(try scene.ask(two, zones(9, "2026a")), .done, "newer")
      _ = try scene.grant(two, scene.wish(scene.slot(1)))
      try scene.equal(try scene.claim(one, scene.wish(scene.slot(2))), .drifted, "the first now")
      try scene.equal(try scene.ask(one, zones(7, "2025b")), .drifted, "the first again")
      try scene.ask(one, .declare(scene.job, schedule: scene.schedule, isChanged: false))
      _ = try scene.grant(one, scene.wish(scene.slot(2)))
    },
    .ofTwo("a changed schedule is in force at once") { scene, one, two in
      try scene.equal(
        try scene.ask(two, .declare(scene.job, schedule: .max, isChanged: true)), .done, "declare")
      try scene.equal(try scene.claim(one, scene.wish(scene.slot(1))), .drifted, "the old one")
      try scene.equal(
        try scene.ask(one, .declare(scene.job, schedule: scene.schedule, isChanged: false)),
        .drifted, "the old one declared")
      _ = try scene.grant(two, scene.wish(scene.slot(1)) { $0.schedule = .max })
    },
    .ofTwo("a schedule is in force only while a machine that has it is alive") { scene, one, two in
      try scene.equal(
        try scene.ask(two, .declare(scene.job, schedule: 9, isChanged: false)), .drifted, "declare")
      try scene.engine.pass(.seconds(8))
      _ = try scene.renew(two)
      try scene.engine.pass(.seconds(7))
      try scene.equal(
        try scene.ask(two, .declare(scene.job, schedule: 9, isChanged: false)), .done, "declare")
      _ = one
      _ = try scene.grant(two, scene.wish(scene.slot(1)) { $0.schedule = 9 })
    },
    .ofTwo("a machine that leaves does not hold its schedule") { scene, one, two in
      let declare = ClaimRequest.declare(scene.job, schedule: 9, isChanged: false)
      try scene.equal(try scene.ask(two, declare), .drifted, "declare")
      try scene.send(one, leaves: true)
      try scene.equal(try scene.ask(two, declare), .done, "declare then")
    },
  ]

  static let decisions: [ClaimContract] = [
    .ofTwo("a slot that is decided is not run") { scene, one, two in
      let decide = ClaimRequest.decide(scene.job, SlotSeries(scene.slot(1)), .missed(.asleep))
      try scene.equal(try scene.ask(one, decide), .done, "decide")
      try scene.equal(try scene.claim(two, scene.wish(scene.slot(1))), .taken, "a claim")
      try scene.equal(try scene.ask(two, decide), .done, "the same of another")
      try scene.equal(
        try scene.ask(two, .decide(scene.job, SlotSeries(scene.slot(1)), .missed(.down))), .taken,
        "another decision")
    },
    .ofOne("a slot that somebody has is not decided") { scene, one in
      let token = try scene.grant(one, scene.wish(scene.slot(1)))
      try scene.equal(
        try scene.ask(one, .decide(scene.job, SlotSeries(scene.slot(1)), .missed(.down))), .taken,
        "decide")
      try scene.equal(try scene.ask(one, .end(token, .succeeded, reason: "")), .done, "its end")
    },
    .ofOne("a series decides all slots within it, but those that have a row") { scene, one in
      let token = try scene.grant(one, scene.wish(scene.slot(5)))
      let series = SlotSeries(first: scene.slot(9), last: scene.slot(2), count: 7)
      try scene.equal(
        try scene.ask(one, .decide(scene.job, series, .coalesced(into: scene.slot(1)))), .done,
        "decide")
      try scene.equal(
        try scene.ask(
          one, .ask(scene.job, (1...10).map { scene.slot($0) }, schedule: scene.schedule)),
        .known((2...9).map { scene.slot($0) }, displaced: []), "known")
      for minute in [2, 4, 9] {
        try scene.equal(try scene.claim(one, scene.wish(scene.slot(minute))), .taken, "a claim")
      }
      try scene.equal(
        try scene.ask(one, .decide(scene.job, SlotSeries(scene.slot(3)), .missed(.down))), .taken,
        "a decision within it")
      try scene.equal(
        try scene.ask(one, .ranUnclaimed(scene.job, scene.slot(3))), .superseded, "a run within it")
      try scene.equal(try scene.ask(one, .end(token, .succeeded, reason: "")), .done, "the end")
      _ = try scene.grant(one, scene.wish(scene.slot(10)))
      _ = try scene.grant(one, scene.wish(scene.slot(1)))
    },
    .ofOne("slots from long before a job is first heard of belong to no machine") { scene, one in
      let since = scene.engine.now + (.zero - MemoryEngine.reach)
      let last = WallInstant(milliseconds: (since.nanoseconds - 1) / 1_000_000)
      let next = last + .milliseconds(1)
      try scene.equal(
        try scene.ask(one, .ask(scene.job, [last, next], schedule: scene.schedule)),
        .known([last], displaced: []),
        "known")
      try scene.equal(try scene.claim(one, scene.wish(last)), .taken, "a claim")
      try scene.engine.pass(.seconds(10))
      // A later member gets the same answers.
      let two = try scene.join("two")
      _ = try scene.grant(two, scene.wish(next))
      try scene.equal(try scene.claim(two, scene.wish(last)), .taken, "another one's claim")
    },
    .ofOne("slots are asked for in any order, and answered in it") { scene, one in
      _ = try scene.grant(one, scene.wish(scene.slot(2)))
      try scene.ask(one, .ranUnclaimed(scene.job, scene.slot(4)))
      try scene.equal(
        try scene.ask(
          one, .ask(scene.job, [4, 1, 2, 3].map { scene.slot($0) }, schedule: scene.schedule)),
        .known([scene.slot(4), scene.slot(2)], displaced: []), "known")
      try scene.equal(
        try scene.ask(one, .ask(scene.job, [], schedule: scene.schedule)),
        .known([], displaced: []),
        "nothing asked")
    },
    .ofTwo("a run without a claim of a slot that is claimed is superseded") { scene, one, two in
      let token = try scene.grant(one, scene.wish(scene.slot(1)))
      try scene.equal(
        try scene.ask(two, .ranUnclaimed(scene.job, scene.slot(1))), .superseded, "the run")
      try scene.equal(try scene.ask(one, .end(token, .succeeded, reason: "")), .done, "its end")
    },
    ClaimContract("open slots are listed by time and job") { scene in
      let other = ClaimScene.name("A")
      let one = try scene.join("one", other)
      for (minute, name) in [(1, scene.job), (2, scene.job), (2, other)] {
        let token = try scene.grant(one, scene.wish(scene.slot(minute), of: name))
        try scene.ask(one, .giveBack(token))
      }
      try scene.equal(
        try scene.renew(one).open,
        [
          .init(job: other, slot: scene.slot(2)), .init(job: scene.job, slot: scene.slot(2)),
          .init(job: scene.job, slot: scene.slot(1)),
        ], "open slots")
    },
  ]
}
