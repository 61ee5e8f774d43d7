import ArgumentParser
import TaktCore
import TimerMachine

struct NextCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "next",
    abstract: "Show the next slots of each job, as if takt started now.")

  @OptionGroup var argument: FileArgument

  @Option(name: .short, help: "How many slots of each job.")
  var number = 5

  func validate() throws {
    guard (1...1000).contains(number) else {
      throw ValidationError("-n takes a number from 1 to 1000.")
    }
  }

  func run() throws {
    let (snapshot, _, _) = try argument.source.loadOrExit()
    let now = SystemTimeSource().now
    let zone = snapshot.settings.zone
    let width = snapshot.jobs.map(\.name.text.count).max() ?? 0
    for job in snapshot.jobs {
      let name = job.name.text + String(repeating: " ", count: width - job.name.text.count)
      guard job.timing.isEnabled else {
        Console.print("\(name)  disabled")
        continue
      }
      let slots = SlotPreview.slots(of: job, startingAt: now, count: number)
      for slot in slots {
        let causes = slot.causes.sorted().map(\.rawValue).joined(separator: ", ")
        Console.print("\(name)  \(slot.nominal.rfc3339(in: zone))  \(causes)")
      }
      if slots.isEmpty { Console.print("\(name)  none") }
    }
  }
}
