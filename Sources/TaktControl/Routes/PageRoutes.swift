import HTTPTypes
import Hummingbird
import NIOCore

/// The web page.
struct PageRoutes {
  func add(to book: inout RouteBook) {
    book.get("/", page)
  }

  @Sendable private func page(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    var response = Response(
      status: .ok,
      headers: [
        .contentType: "text/html; charset=utf-8",
        .contentSecurityPolicy: PageFiles.page.policy,
      ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: PageFiles.page.bytes)))
    response.headers[.referrerPolicy] = "no-referrer"
    return response
  }
}

extension HTTPField.Name {
  // The text is a valid name, so there is one.
  fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .age
}
