/// The reason why a file is not used, and the command that fixes it.
package struct Distrust: Error, Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    case wrongType(FileType)
    /// It belongs to a user who may not own it; the text names the users who may.
    case owner(UInt32, String)
    case writable(UInt32)
    case readable(UInt32)
    case hardLinks(Int)
    /// It has another name, and others can have made this one.
    case otherName
    /// A link on the way that others can have made.
    case link
    case folderOwner(UInt32)
    case folderWritable(UInt32)
    /// It belonged to another user when it was loaded.
    case newOwner(UInt32, before: UInt32)
  }

  package enum Remedy: Hashable, Sendable {
    case run(String)
    case advice(String)
  }

  /// The file, folder or link that the reason is about.
  package var path: String
  package var row: FileTrust
  package var reason: Reason

  package init(path: String, row: FileTrust, reason: Reason) {
    self.path = path
    self.row = row
    self.reason = reason
  }

  private static let asRoot = "refused because takt runs as root"

  /// The part after the name of the file, without the remedy.
  package var sentence: String {
    switch reason {
    case .wrongType(let type): return "this is \(type.words), not \(row.type.words)"
    case .owner(let owner, let permitted):
      return "user \(owner) owns '\(path)', \(why): only \(permitted) may own it"
    case .writable(let mode):
      let subject = row.type == .folder ? "the folder '\(path)' is " : ""
      return "\(subject)group- or world-writable (mode \(Self.octal(mode))), \(why)"
    case .readable: return "can be read by other users"
    case .hardLinks(let count): return "it has \(count) hard links"
    case .otherName:
      return "reached by a name that another user may have given it, \(why)"
    case .link:
      return "reached by a link that another user may have made ('\(path)'), \(why)"
    case .folderOwner(let owner):
      return
        "user \(owner) owns the folder '\(path)' and could put another file in its place, \(why)"
    case .folderWritable(let mode):
      return "the folder '\(path)' is group- or world-writable (mode \(Self.octal(mode))), \(why)"
    case .newOwner(let owner, let before):
      return "user \(owner) owns it now, and user \(before) owned it when takt loaded it, \(why)"
    }
  }

  private var why: String { row.scope == .root ? Self.asRoot : "refused" }

  package var remedy: Remedy {
    switch reason {
    case .wrongType: .advice("name \(row.type.words)")
    case .owner, .newOwner, .folderOwner: .run("chown root \(quotedPath)")
    case .writable(let mode), .folderWritable(let mode):
      // A sticky folder is there for all users.
      mode & 0o1000 == 0
        ? .run("chmod go-w \(quotedPath)")
        : .advice("move it to a folder that only root can write to")
    case .readable: .run("chmod 600 \(quotedPath)")
    case .hardLinks: .advice("replace it with a copy of its own")
    case .otherName: .advice("name the file itself, or replace it with a copy")
    case .link: .advice("name the file itself")
    }
  }

  /// Quoted for a shell: the name may be another user's, and the command is to be copied.
  private var quotedPath: String {
    let isPlain = path.utf8.allSatisfy {
      (97...122).contains($0 | 0x20) || (48...57).contains($0) || "/._-+@:,".utf8.contains($0)
    }
    if isPlain { return path }
    let parts = path.split(separator: "'", omittingEmptySubsequences: false)
    return "'\(parts.joined(separator: "'\\''"))'"
  }

  package var hint: String {
    switch remedy {
    case .run(let command): "run: \(command)"
    case .advice(let text): text
    }
  }

  package var advice: String {
    switch remedy {
    case .run(let command): "\(sentence); run `\(command)`"
    case .advice(let text): "\(sentence); \(text)"
    }
  }

  private static func octal(_ mode: UInt32) -> String { "0\(String(mode, radix: 8))" }
}
