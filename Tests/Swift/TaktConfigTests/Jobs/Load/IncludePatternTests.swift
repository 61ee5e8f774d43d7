import TaktTesting
import Testing

@testable import TaktConfig

struct IncludePatternTests {
  private let folder = TemporaryFolder()

  private func names(_ pattern: String) -> [String] {
    IncludePattern(pattern, in: folder.path, bound: 100).matches.map {
      String($0.dropFirst(folder.path.count + 1))
    }
  }

  @Test func `matches come in the order of their names`() {
    for name in ["b.yaml", "a.yaml", "c.yml", ".h.yaml"] { folder.write("", to: name) }
    folder.makeFolder("d")
    folder.makeFolder("e")
    folder.write("", to: "d/x.yaml")
    folder.write("", to: "e/x.yaml")
    #expect(names("*.yaml") == ["a.yaml", "b.yaml"])
    #expect(names("[bc].y*") == ["b.yaml", "c.yml"])
    #expect(names("?/x.yaml") == ["d/x.yaml", "e/x.yaml"])
    #expect(names("d/*") == ["d/x.yaml"])
    #expect(names("none/*") == [])
    #expect(names("a.yaml/*") == [])
    #expect(names(".*.yaml") == [".h.yaml"])
  }

  @Test func `the folders that were searched are reported`() {
    folder.makeFolder("d")
    let pattern = IncludePattern("*/*.yaml", in: folder.path, bound: 100)
    #expect(pattern.folders == [folder.path, folder["d"]])
    #expect(pattern.failure == nil)
  }

  @Test func `matches are bounded`() {
    for number in 0..<10 { folder.write("", to: "\(number)") }
    #expect(IncludePattern("*", in: folder.path, bound: 5).matches.count == 6)
  }

  @Test(arguments: ["a/", "*/", "../"])
  func `a pattern of very many names is refused and takes no stack`(part: String) {
    let pattern = IncludePattern(
      String(repeating: part, count: 200_000) + "*", in: folder.path, bound: 100)
    #expect(pattern.isTooLarge)
    #expect(pattern.matches == [])
    let longest = String(repeating: "a/", count: 2040) + "*"
    #expect(!IncludePattern(longest, in: folder.path, bound: 100).isTooLarge)
  }

  @Test func `links that lead back to their folder are followed within a bound`() {
    folder.makeLink("a", to: ".")
    folder.makeLink("b", to: ".")
    let pattern = IncludePattern(
      String(repeating: "*/", count: 30) + "*.yaml", in: folder.path, bound: 100, foldersMax: 1000)
    #expect(pattern.isTooLarge)
    #expect(pattern.matches == [])
    #expect(pattern.folders.count <= 1000)
  }
}
