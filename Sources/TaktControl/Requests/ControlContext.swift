import Hummingbird
import NIOCore
import TaktCore

struct ControlContext: RequestContext {
  /// The most bytes of a request: a jobs file to be planned.
  static let bodyBytesMax = 8 << 20
  /// The most bytes of a command.
  static let commandBytesMax = 1 << 20

  var coreContext: CoreRequestContextStorage
  /// The client's login: no rights until the access has checked it.
  var login = Login(access: .none)
  /// The way of the request: the one with fewer rights by default.
  private(set) var way = RequestWay.network
  let eventLoop: any EventLoop
  /// The page's path, for a request without the slash at its end: the page's own requests are
  /// relative to it.
  var pagePath: String?
  var query = Query()

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    eventLoop = source.channel.eventLoop
  }

  /// - Parameter way: that of the listener.
  init(source: ApplicationRequestContextSource, way: RequestWay) {
    self.init(source: source)
    self.way = way
    if way == .socket { login.access = .socket }
  }
}

extension ControlContext {
  var isLocal: Bool { way == .socket }

  var access: Access { login.access }

  func job() throws -> JobName {
    let text = parameters.get("job") ?? ""
    guard let name = JobName(text) else {
      let decoded = RequestTarget.decoded(text) ?? text
      throw Problem(.notFound, "there is no job '\(decoded.prefix(128))'")
    }
    return name
  }

  func run() throws -> RunID {
    let text = parameters.get("run") ?? ""
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt64(text), number > 0
    else { throw Problem(.notFound, "there is no run '\(text.prefix(40))'") }
    return RunID(number)
  }
}
