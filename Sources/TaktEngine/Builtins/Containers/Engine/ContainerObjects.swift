import FoundationEssentials

package struct ContainerSummary: Decodable, Hashable, Sendable {
  package var id: String
  /// Each with the slash that engines put in front.
  package var names: [String]?
  package var image: String?
  package var labels: [String: String]?
  /// `running`, `exited` and the like.
  package var state: String?

  private enum CodingKeys: String, CodingKey {
    case id = "Id", names = "Names", image = "Image", labels = "Labels", state = "State"
  }

  /// The first name without its slash; the id if there is none.
  package var name: String {
    guard let name = names?.first else { return id }
    return name.hasPrefix("/") ? String(name.dropFirst()) : name
  }
}

package struct ContainerDetails: Decodable, Hashable, Sendable {
  package struct State: Decodable, Hashable, Sendable {
    package var status: String?
    package var running: Bool?
    package var outOfMemory: Bool?
    package var exitCode: Int?
    package var error: String?

    private enum CodingKeys: String, CodingKey {
      case status = "Status", running = "Running", outOfMemory = "OOMKilled"
      case exitCode = "ExitCode", error = "Error"
    }
  }

  package struct Settings: Decodable, Hashable, Sendable {
    package var labels: [String: String]?

    private enum CodingKeys: String, CodingKey { case labels = "Labels" }
  }

  package var id: String
  package var name: String?
  package var state: State
  package var settings: Settings?

  private enum CodingKeys: String, CodingKey {
    case id = "Id", name = "Name", state = "State", settings = "Config"
  }
}

package struct ContainerEvent: Decodable, Hashable, Sendable {
  package struct Actor: Decodable, Hashable, Sendable {
    package var id: String?
    package var attributes: [String: String]?

    private enum CodingKeys: String, CodingKey { case id = "ID", attributes = "Attributes" }
  }

  /// `container`, `image` and the like.
  package var type: String?
  /// `start`, `die`, `destroy` and the like; with Podman `remove` as well.
  package var action: String?
  package var actor: Actor?

  private enum CodingKeys: String, CodingKey {
    case type = "Type", action = "Action", actor = "Actor"
  }
}

struct EngineVersion: Decodable {
  var newest: String?
  var oldest: String?

  private enum CodingKeys: String, CodingKey {
    case newest = "ApiVersion", oldest = "MinAPIVersion"
  }
}

struct CreatedObject: Decodable {
  var id: String

  private enum CodingKeys: String, CodingKey { case id = "Id" }
}

struct ExecDetails: Decodable {
  var isRunning: Bool
  var exitCode: Int?
  /// On the engine's machine; 0 for none.
  var pid: Int?
  /// The full id of its container.
  var container: String?

  private enum CodingKeys: String, CodingKey {
    case isRunning = "Running", exitCode = "ExitCode", pid = "Pid", container = "ContainerID"
  }
}

/// An error message of an engine; other members of progress messages are ignored.
struct EngineMessage: Decodable {
  struct Detail: Decodable { var message: String? }

  var message: String?
  var error: String?
  var errorDetail: Detail?
}

extension Decodable {
  /// Nil if the bytes are no such object.
  init?(json bytes: [UInt8]) {
    guard let value = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
    self = value
  }
}
