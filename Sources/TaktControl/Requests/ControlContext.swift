import HTTPTypes
import Hummingbird
import NIOCore
import TaktCore

/// What a request brings with it.
struct ControlContext: RequestContext {
  /// The most bytes of a request: a jobs file that is to be planned.
  static let bodyBytesMax = 8 << 20
  /// The most bytes of an order.
  static let commandBytesMax = 1 << 20

  var coreContext: CoreRequestContextStorage
  /// Who the client is: nobody unless the access has found out.
  var login = Login(access: .none)
  /// By which way it came: the one with fewer rights unless its listener says otherwise.
  private(set) var way = RequestWay.network
  let eventLoop: any EventLoop
  /// The page's path, of a request that leaves out the slash at its end: what the page asks for is
  /// relative to it.
  var pagePath: String?
  var query = Query()

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    eventLoop = source.channel.eventLoop
  }

  /// - Parameter way: by which listener the request came.
  init(source: ApplicationRequestContextSource, way: RequestWay) {
    self.init(source: source)
    self.way = way
    if way == .socket { login.access = .socket }
  }
}

extension ControlContext {
  var isLocal: Bool { way == .socket }

  /// What the client may do.
  var access: Access { login.access }

  func job() throws -> JobName {
    let text = parameters.get("job") ?? ""
    guard let name = JobName(text) else {
      let decoded = RequestTarget.decoded(text) ?? text
      throw Problem(.notFound, "there is no job '\(decoded.prefix(128))'")
    }
    return name
  }

  /// The run that the path names.
  func run() throws -> RunID {
    let text = parameters.get("run") ?? ""
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt64(text), number > 0
    else { throw Problem(.notFound, "there is no run '\(text.prefix(40))'") }
    return RunID(number)
  }
}
