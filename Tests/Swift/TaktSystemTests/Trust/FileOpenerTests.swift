import Glibc
import TaktTesting
import Testing

@testable import TaktSystem

/// Walks on a real disk, judged as by root.
@Suite(.enabled(if: geteuid() == 0, "files of other users take root")) struct FileOpenerTests {
  private static let stranger: uid_t = 47_321
  private let place = TemporaryFolder()
  private var folder: String { place.path }

  init() { chmod(folder, 0o755) }

  @discardableResult
  private func write(_ text: String, to name: String) throws -> String {
    let path = "\(folder)/\(name)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    #expect(Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count)
    return path
  }

  /// The contents; nil for a refusal.
  private func text(of path: String, as row: FileTrust = .list) -> String? {
    let opener = FileOpener(FileParties(own: 0))
    guard let descriptor = try? opener.open(path, as: row) else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
  }

  private func problem(of path: String, as row: FileTrust = .list) -> OpenFailure? {
    do {
      close(try FileOpener(FileParties(own: 0)).open(path, as: row))
      return nil
    } catch {
      return error
    }
  }

  @Test func `a volume as Kubernetes mounts it is read through its links`() throws {
    // A sticky folder of all, a link to the present version, and a link for each file.
    chmod(folder, 0o1777)
    #expect(mkdir("\(folder)/..2026_11_28", 0o755) == 0)
    try write("a", to: "..2026_11_28/jobs.yaml")
    #expect(symlink("..2026_11_28", "\(folder)/..data") == 0)
    #expect(symlink("..data/jobs.yaml", "\(folder)/jobs.yaml") == 0)
    #expect(text(of: "\(folder)/jobs.yaml") == "a")
    // One that another user has put there is not.
    unlink("\(folder)/jobs.yaml")
    #expect(symlink("..data/jobs.yaml", "\(folder)/jobs.yaml") == 0)
    lchown("\(folder)/jobs.yaml", Self.stranger, 0)
    #expect(text(of: "\(folder)/jobs.yaml") == nil)
  }

  @Test func `dots and slashes lead where the system says`() throws {
    try write("a", to: "f")
    #expect(mkdir("\(folder)/d", 0o755) == 0 && symlink("d", "\(folder)/l") == 0)
    #expect(symlink("../f", "\(folder)/d/up") == 0)
    for path in ["d/../f", "./f", "d//../f", "l/up", "l/../f", "d/./up"] {
      #expect(text(of: "\(folder)/\(path)") == "a", "\(path)")
    }
    #expect(text(of: "\(folder)/d/..") == nil)
    #expect(problem(of: "\(folder)/none") == .system(ENOENT))
    #expect(problem(of: "\(folder)/f/x") == .system(ENOTDIR))
    #expect(symlink("loop", "\(folder)/loop") == 0)
    #expect(problem(of: "\(folder)/loop") == .system(ELOOP))
  }

  @Test func `a pipe and a device are not opened`() throws {
    #expect(mkfifo("\(folder)/p", 0o644) == 0)
    for (path, type) in [("\(folder)/p", FileType.pipe), ("/dev/null", .device), (folder, .folder)]
    {
      guard case .distrusted(let problem)? = problem(of: path) else {
        Issue.record("\(path) was opened")
        continue
      }
      #expect(problem.reason == .wrongType(type))
    }
  }

  @Test func `a folder of another user leads nowhere`() throws {
    #expect(mkdir("\(folder)/home", 0o755) == 0)
    let path = try write("a", to: "home/f")
    #expect(text(of: path) == "a")
    chown("\(folder)/home", Self.stranger, 0)
    guard case .distrusted(let problem)? = problem(of: path) else {
      Issue.record("it was read")
      return
    }
    #expect(problem.reason == .folderOwner(Self.stranger))
    #expect(problem.hint == "run: chown root \(folder)/home")
  }

  @Test func `a folder is walked to once for all of its files, and its links are followed`() throws
  {
    #expect(mkdir("\(folder)/d", 0o755) == 0)
    for number in 0..<40 {
      try write("\(number)", to: "d/\(number)")
      try write("", to: "\(number)")
    }
    #expect(symlink("../17", "\(folder)/d/up") == 0)
    let opener = FileOpener(FileParties(own: 0))
    for number in 0..<40 {
      close(try opener.open("\(folder)/d/\(number)", as: .list))
      close(try opener.open("\(folder)/\(number)", as: .list))
    }
    close(try opener.open("\(folder)/d/up", as: .list))
    // Another folder at its path does not change what has been judged.
    #expect(rename("\(folder)/d", "\(folder)/e") == 0 && mkdir("\(folder)/d", 0o777) == 0)
    chmod("\(folder)/d", 0o777)
    close(try opener.open("\(folder)/d/3", as: .list))
    #expect(problem(of: "\(folder)/d/3") == .system(ENOENT))
  }

  @Test func `a file apart is judged before a byte of it is handed out`() throws {
    let path = try write("secret", to: "f")
    let parties = FileParties(own: 0)
    #expect(
      try ApartFile.read(path, bytesMax: 64, as: .secret, for: parties).bytes
        == Array("secret".utf8))
    chmod(path, 0o666)
    #expect(throws: OpenFailure.self) {
      try ApartFile.read(path, bytesMax: 64, as: .secret, for: parties)
    }
    #expect(throws: OpenFailure.system(EFBIG)) {
      try ApartFile.read("/proc/self/mountinfo", bytesMax: 4, as: .jobsFile, for: parties)
    }
  }
}
