import Testing

/// `takt plugins new` in folders without room for files.
@Suite(.ownThreads) struct PluginNewErrorTests {
  @Test func `a folder in which nothing can be made is named, with the system's reason`() throws {
    let folder = try TemporaryFolder()
    let takt = try folder.takt("plugins", "new", "greet", "--folder", "/proc/none")
    #expect(takt.status == 71)
    #expect(
      takt.errors == "takt: cannot create /proc/none/greet: No such file or directory\n",
      "\(takt.errors)")
  }
}
