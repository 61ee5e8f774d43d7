import Foundation
import TaktTesting
import TestSupport
import Testing

@testable import TaktCore

/// Each route with each login, against the table in docs/security.md.
@Suite struct RouteRightsTests {
  /// A login: its header, and its column in the table.
  private struct Way {
    var column: Int
    /// Nil for the Unix socket.
    var header: String?
  }

  /// The rows between the marks, cell by cell: the route first.
  private static func rows() throws -> [[String]] {
    let path = Repository.path("docs/security.md")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let start = try #require(text.firstRange(of: "<!-- routes: begin -->\n")).upperBound
    let stop = try #require(text.firstRange(of: "<!-- routes: end -->")).lowerBound
    return text[start..<stop].split(separator: "\n").dropFirst(2).map { line in
      line.split(separator: "|").map {
        $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
      }
    }
  }

  /// The answer in the words of the table.
  private static func word(_ reply: Reply) -> String {
    switch reply.status {
    case 401: "401"
    case 403: "403"
    default: "yes"
    }
  }

  @Test func `each route allows what the docs say, in each way to ask`() async throws {
    let rows = try Self.rows()
    let description = try APIDescription()
    let described = description.paths.flatMap { path, methods in
      methods.map { "\($0.uppercased()) \(path)" }
    }
    #expect(Set(rows.map { $0[0] }) == Set(described + ["GET /"]))
    #expect(rows.count == Set(rows.map { $0[0] }).count)
    let folder = TemporaryFolder()
    let cluster = try await ControlCluster([.named("a")], others: [])
    let world = cluster.world
    let port = try await world.listenOnNetwork(
      readTokenFile: folder["token"], operateTokenFile: folder["operate"])
    let token = ControlWorld.token(in:)
    let ways = [
      Way(column: 1, header: nil),
      Way(column: 2, header: "Authorization: Bearer \(try token(world.tokenFile))"),
      Way(column: 2, header: "Authorization: Bearer \(ControlCluster.writeToken)"),
      Way(column: 3, header: "Authorization: Bearer \(try token(folder["operate"]))"),
      Way(column: 4, header: "Authorization: Bearer \(try token(folder["token"]))"),
      Way(column: 4, header: "Authorization: Bearer \(ControlCluster.readToken)"),
      Way(column: 5, header: ""), Way(column: 5, header: "Authorization: Bearer wrong"),
    ]
    for row in rows {
      let method = String(row[0].prefix { $0 != " " })
      let path = row[0].drop { $0 != " " }.dropFirst()
      let target = path.replacing("{job}", with: "a").replacing("{run}", with: "1")
        .replacing("{machine}", with: "a")
      // Events do not end; their head suffices.
      let methods =
        path.hasSuffix("/events") ? ["HEAD"] : method == "GET" ? ["GET", "HEAD"] : ["POST"]
      for way in ways {
        for method in methods {
          let wire = try way.header == nil ? world.connect() : Wire(port: port, of: world)
          let headers = way.header.map { ["Host: 127.0.0.1:\(port)", $0].filter { $0 != "" } }
          wire.send(method, String(target), method == "POST" ? [] : nil, headers ?? [])
          let reply = try wire.reply(isHead: method == "HEAD")
          #expect(
            Self.word(reply) == row[way.column],
            "\(method) \(target) \(way.header ?? "socket"): \(reply.status) \(reply.text)")
        }
      }
    }
  }
}
