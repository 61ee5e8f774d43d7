import Foundation
import Testing

@testable import TaktControl

@Suite struct PageRouteTests {
  @Test func `the page says what a browser may do with it`() async throws {
    let world = try await ControlWorld()
    let page = try world.get("/")
    #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
    #expect(page.headers["content-security-policy"] == PageFiles.page.policy)
    #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
    #expect(page.headers["referrer-policy"] == "no-referrer")
    #expect(page.headers["x-content-type-options"] == "nosniff")
    #expect(page.headers["cache-control"] == "no-store")
    #expect(page.bytes == PageFiles.page.bytes)
  }

  @Test func `the page stays small`() {
    // In bytes, of which a proxy that compresses sends about a quarter. The agenda, the heat map and the
    // cluster's page are 50,000 of them.
    #expect(PageFiles.page.bytes.count < 250_000)
  }

  @Test func `it is sent without its comments`() {
    #expect(
      PageFiles.withoutComments("/** A\n * b.\n */\nlet a = 1; // c\n\n  // d\n  /* e */\n  f();\n")
        == "let a = 1; // c\nf();\n")
    let page = String(decoding: PageFiles.page.bytes, as: UTF8.self)
    #expect(page.contains("\nclass RunTable {\n") && !page.contains("\n/**"))
  }

  @Test func `its head comes without it`() async throws {
    let wire = try await ControlWorld().connect()
    wire.send("HEAD", "/", nil)
    let head = try wire.reply(isHead: true)
    #expect(head.status == 200)
    #expect(head.headers["content-length"] == "\(PageFiles.page.bytes.count)")
    // The connection can be used again.
    wire.send("GET", "/healthz", nil)
    #expect(try wire.reply().text == "ok\n")
  }

  @Test(arguments: ["/index.html", "/favicon.ico", "/static/app.js", "//", "/..", "/%2e%2e/etc"])
  func `there is no other file`(target: String) async throws {
    let reply = try await ControlWorld().get(target)
    #expect(reply.status == 404 || reply.bytes == PageFiles.page.bytes, "\(target)")
  }
}
