import TaktCore

/// A machine of the cluster, as far as it can be asked.
struct ClusterMachine: Hashable, Sendable {
  var name: String
  /// Nil for this machine while it is not a member.
  var member: UInt64?
  var host: String
  /// The API address that it announces.
  var api: String?
  var isAlive: Bool
  var isThis: Bool

  /// `machine 'b'`, with its number if several have the name.
  fileprivate(set) var words = ""
}

/// The known machines of the cluster: this one, then the others by number.
struct MachineList: Sendable {
  let cluster: String
  private(set) var machines: [ClusterMachine]

  init(_ view: ClusterView) {
    cluster = view.settings?.name ?? ""
    machines = [
      ClusterMachine(
        name: view.facts.machine, member: view.member?.number, host: view.facts.host,
        api: view.facts.api, isAlive: true, isThis: true)
    ]
    // Newer memberships first: an earlier one of the same daemon is not a separate machine.
    let others = view.members.filter { $0.id != view.member }.sorted { $0.id > $1.id }
    for member in others {
      let machine = ClusterMachine(
        name: member.facts.machine, member: member.id.number, host: member.facts.host,
        api: member.facts.api, isAlive: member.isAlive, isThis: false)
      if !machines.contains(where: { machine.isEarlier(of: $0) }) { machines.append(machine) }
    }
    machines[1...].sort { $0.member ?? 0 < $1.member ?? 0 }
    let names = Dictionary(machines.map { ($0.name, 1) }, uniquingKeysWith: +)
    for index in machines.indices {
      let machine = machines[index]
      let number =
        names[machine.name, default: 0] > 1 ? machine.member.map { " (member \($0))" } : nil
      machines[index].words = "machine '\(machine.name.printable)'\(number ?? "")"
    }
  }

  var this: ClusterMachine { machines[0] }

  /// The machine for a word: a name, or `member:7`.
  func machine(named word: String) throws -> ClusterMachine {
    let prefix = "member:"
    if word.hasPrefix(prefix), let number = UInt64(word.dropFirst(prefix.count)) {
      if let found = machines.first(where: { $0.member == number }) { return found }
      throw Problem(.notFound, "the cluster has no member \(number)", detail: allNames)
    }
    let found = machines.filter { $0.name == word }
    if found.count > 1 {
      let members = found.compactMap { $0.member.map { "member:\($0)" } }
      throw Problem(
        .ambiguous, "\(found.count) machines are named '\(word.prefix(128))'",
        detail: "Name one by its number: \(members.joined(separator: " or ")).")
    }
    guard let machine = found.first else {
      throw Problem(
        .notFound, "the cluster has no machine '\(word.prefix(128))'", detail: allNames)
    }
    return machine
  }

  private var allNames: String {
    let names = Set(machines.map(\.name)).sorted()
    let shown = names.prefix(10).joined(separator: ", ")
    let more = names.count > 10 ? " and \(names.count - 10) more" : ""
    return names.count == 1 ? "Its only machine is \(shown)." : "Its machines are \(shown)\(more)."
  }
}

extension ClusterMachine {
  /// True for an earlier membership of the same daemon whose lease has not expired.
  fileprivate func isEarlier(of newer: ClusterMachine) -> Bool {
    guard name == newer.name, host == newer.host, api == newer.api else { return false }
    // Without an address, two daemons of the same name may run on one host.
    return api != nil || !isAlive
  }
}
