import HTTPTypes
import Hummingbird
import TaktAPI
import TaktCore

/// A refused request, in the format of RFC 9457.
struct Problem: Error {
  /// The kind of problem, besides the codes of diagnostics.
  enum Code: String, CaseIterable {
    case badRequest, unauthorized, forbidden, notFound, methodNotAllowed, conflict, overlap
    case ambiguous
    case tooLarge
    case unprocessable, tooMany, stopping, unavailable
    case internalError
  }

  var status: HTTPResponse.Status
  var code: String
  var title: String
  var detail: String?
  var diagnostics: [Diagnostic] = []
  var headers = HTTPFields()

  init(_ code: Code, _ title: String, detail: String? = nil) {
    status = Self.status(of: code)
    self.code = code.rawValue
    self.title = title
    self.detail = detail
  }

  /// For a jobs file with errors: the first one determines the code.
  init(refusing diagnostics: [Diagnostic]) {
    self.init(.unprocessable, "the jobs file has errors; the previous jobs keep running")
    code = (diagnostics.first { $0.severity == .error }?.code.rawValue) ?? code
    self.diagnostics = diagnostics
  }

  static let contentType = "application/problem+json"

  var bytes: [UInt8] { object.json }

  var response: Response {
    var response = Response.json(object, status: status)
    response.headers[.contentType] = Self.contentType
    response.headers.append(contentsOf: headers)
    return response
  }

  private var object: API.Problem {
    var shown = API.Problem()
    shown.type = "about:blank"
    shown.title = title
    shown.status = status.code
    shown.detail = detail
    shown.code = code
    shown.diagnostics = diagnostics.isEmpty ? nil : diagnostics.map { API.Diagnostic($0) }
    return shown
  }

  private static func status(of code: Code) -> HTTPResponse.Status {
    switch code {
    case .badRequest: .badRequest
    case .unauthorized: .unauthorized
    case .forbidden: .forbidden
    case .notFound: .notFound
    case .methodNotAllowed: .methodNotAllowed
    case .conflict, .overlap, .ambiguous: .conflict
    case .tooLarge: .contentTooLarge
    case .unprocessable: .unprocessableContent
    case .tooMany: .tooManyRequests
    case .stopping, .unavailable: .serviceUnavailable
    case .internalError: .internalServerError
    }
  }
}

extension Response {
  static func json(_ object: some APIObject, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: object.json)))
  }

  static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
    .text(Array(text.utf8), status: status)
  }

  /// - Parameter text: UTF-8.
  static func text(_ text: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "text/plain; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: text)))
  }
}
