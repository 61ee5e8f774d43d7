import TaktCore
import TaktTime
import Testing

@testable import TaktEngine

/// The times of lists and reports of containers, in virtual time.
@Suite final class ContainerFollowingTests {
  private var following = ContainerFollowing()
  private var now = MonotonicInstant(nanoseconds: 0)
  private var told: [[String]] = []
  private var lists = 0
  private var tries = 0
  private var said: [String] = []
  private var isAway = false
  /// The containers that the engine would list.
  private var running: [LabelledContainer] = []

  private func perform(_ actions: [ContainerFollowing.Action]) {
    for action in actions {
      switch action {
      case .list:
        lists += 1
        perform(following.receive(.listed(running), at: now))
      case .deliver(let containers): told.append(containers.map(\.name))
      case .open:
        tries += 1
        if isAway { perform(following.receive(.broke("no engine"), at: now)) }
      case .warn(let sentence), .note(let sentence): said.append(sentence)
      }
    }
  }

  private func receive(_ input: ContainerFollowing.Input) {
    perform(following.receive(input, at: now))
  }

  /// Lets time pass, and fires the timer when it is due.
  private func pass(_ duration: Duration) {
    let end = now + duration
    while let deadline = following.deadline, deadline <= end {
      now = max(now, deadline)
      receive(.timer)
    }
    now = end
  }

  private static func container(_ name: String, id: String? = nil) -> LabelledContainer {
    LabelledContainer(id: id ?? "id-\(name)", name: name, labels: ["takt.jobs.a.run": "x"])
  }

  @Test func `a new container is reported after a moment`() {
    #expect(following.begin() == [.open])
    receive(.opened)
    #expect(told == [[]])
    pass(.seconds(10))
    running = [Self.container("web")]
    receive(.changed)
    pass(.milliseconds(199))
    #expect(told == [[]])
    pass(.milliseconds(1))
    #expect(told == [[], ["web"]])
  }

  @Test func `a container that is restarted, or replaced, changes nothing or its id alone`() {
    running = [Self.container("web")]
    receive(.opened)
    pass(.seconds(10))
    running = []
    receive(.changed)
    pass(.seconds(2))
    running = [Self.container("web")]
    receive(.changed)
    pass(.seconds(20))
    #expect(told == [["web"]])
    running = []
    receive(.changed)
    pass(.seconds(1))
    running = [Self.container("web", id: "new")]
    receive(.changed)
    pass(.seconds(20))
    #expect(told == [["web"], ["web"]])
    running = []
    receive(.changed)
    pass(.seconds(20))
    #expect(told == [["web"], ["web"], []])
  }

  @Test func `a container of another name is not there twice`() {
    running = [Self.container("web")]
    receive(.opened)
    pass(.seconds(10))
    running = [Self.container("www", id: "id-web")]
    receive(.changed)
    pass(.seconds(1))
    #expect(told == [["web"], ["www"]])
  }

  @Test func `fifty containers that come and go in a minute make few reloads`() {
    receive(.opened)
    for number in 0..<50 {
      running.append(Self.container("c\(number)"))
      if number >= 5 { running.removeFirst() }
      receive(.changed)
      pass(.milliseconds(1200))
    }
    running = []
    receive(.changed)
    pass(.seconds(30))
    #expect(told.last == [])
    #expect(told.count <= 20, "\(told.count)")
  }

  @Test func `events without end are looked at every two seconds`() {
    receive(.opened)
    for _ in 0..<100 {
      receive(.changed)
      pass(.milliseconds(100))
    }
    #expect((4...7).contains(lists), "\(lists)")
  }

  @Test func `while the engine is away nothing changes`() {
    running = [Self.container("web")]
    receive(.opened)
    pass(.seconds(10))
    isAway = true
    running = []
    receive(.broke("no engine"))
    pass(.seconds(100))
    #expect(said == ["no engine; jobs from labels stay as they are, and takt tries again"])
    #expect((4...8).contains(tries), "\(tries)")
    #expect(told == [["web"]])
    isAway = false
    receive(.opened)
    pass(.seconds(20))
    #expect(said.last == "the container engine is back")
    #expect(told == [["web"], []])
  }
}
