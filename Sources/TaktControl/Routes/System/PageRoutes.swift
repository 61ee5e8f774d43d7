import CTaktPage
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import TaktSystem

struct PageRoutes {
  func add(to routes: inout RouteList) {
    routes.get("/", needs: .none, nil, page)
  }

  @Sendable private func page(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    // Only the settings decide the destination: a name that a client invents leads nowhere.
    if let path = context.pagePath {
      return Response(status: .temporaryRedirect, headers: [.location: path])
    }
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
  // The text is a valid name, so it is not nil.
  fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .age
}

/// The web page from the program's own data.
enum PageFiles {
  /// One document that needs no other.
  static let page: Page = {
    let style = "\n" + withoutComments(text(takt_page_style))
    let script = "\n" + withoutComments(text(takt_page_script))
    let document = text(takt_page_document)
      .replacing("/*STYLE*/", with: style, maxReplacements: 1)
      .replacing("/*SCRIPT*/", with: script, maxReplacements: 1)
    return Page(document: document)
  }()

  /// A document with its content security policy.
  struct Page: Sendable {
    let bytes: [UInt8]
    let policy: String

    init(document: String) {
      bytes = Array(document.utf8)
      policy = [
        "default-src 'none'", "style-src \(Self.hash(of: "style", in: document))",
        "script-src \(Self.hash(of: "script", in: document))", "connect-src 'self'",
        "img-src 'self' data:", "base-uri 'none'", "form-action 'none'",
        "frame-ancestors 'none'",
      ].joined(separator: "; ")
    }

    /// The hash, for a policy, of the content of the one element of this name.
    private static func hash(of element: String, in document: String) -> String {
      guard let open = document.firstRange(of: "<\(element)>"),
        let close = document[open.upperBound...].firstRange(of: "</\(element)>")
      else { return "'none'" }
      let text = document[open.upperBound..<close.lowerBound]
      return "'sha256-\(Data(SHA256.hash(text.utf8).bytes).base64EncodedString())'"
    }
  }

  /// Removes indentation and comment lines, which a browser does not need. No text in the page's
  /// files has several lines.
  static func withoutComments(_ text: String) -> String {
    var isInComment = false
    var kept = ""
    for line in text.split(separator: "\n") {
      let words = line.drop { $0 == " " }
      let isComment = isInComment || words.hasPrefix("/*") || words.hasPrefix("//")
      if isInComment || words.hasPrefix("/*") { isInComment = !words.hasSuffix("*/") }
      if !isComment, !words.isEmpty { kept += words + "\n" }
    }
    return kept
  }

  private static func bytes(_ file: takt_page_file) -> [UInt8] {
    // The file is a constant of the program, of the given length.
    Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }

  private static func text(_ file: takt_page_file) -> String {
    String(decoding: bytes(file), as: UTF8.self)
  }
}
