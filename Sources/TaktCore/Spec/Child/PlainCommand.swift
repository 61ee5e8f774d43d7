/// A command text that a shell would only split into words and execute.
///
/// It covers only the common behavior of POSIX, dash and bash. Doubtful texts are for the shell.
package enum PlainCommand {
  /// A shell reads longer texts.
  private static let bytesMax = 16_384

  /// The words of a text, as the program gets them; nil if it is for the shell.
  package static func words(of text: String) -> [String]? {
    var bytes = Array(text.utf8)
    // As a block of YAML ends. After two of them bash executes the command in a process of its own.
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    guard bytes.count <= bytesMax, let first = bytes.first else { return nil }
    // The shell itself would take it for an option.
    guard first != UInt8(ascii: "-"), first != UInt8(ascii: "+") else { return nil }
    var splitter = Splitter(bytes)
    guard splitter.split(), let program = splitter.words.first, isProgram(program) else {
      return nil
    }
    // It behaves differently in the first process of a session, which is the shell otherwise.
    let isOfSession = splitter.words.contains { $0 == "setsid" || $0.hasSuffix("/setsid") }
    return isOfSession ? nil : splitter.words
  }

  /// True if a first word can only be the name of a program.
  private static func isProgram(_ word: String) -> Bool {
    guard let first = word.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "+") else {
      return false
    }
    let isName = word.utf8.allSatisfy { Splitter.isLetterOrDigit($0) || "_-./+".utf8.contains($0) }
    guard isName else { return false }
    return word.utf8.contains(UInt8(ascii: "/")) || !shellNames.contains(word)
  }

  /// Names that a shell does not look up in `PATH`: reserved words and built-ins of POSIX, dash and
  /// bash.
  private static let shellNames = Set(
    """
    case coproc do done elif else esac fi for function if in select then time until while
    . alias bg bind break builtin caller cd chdir command compgen complete compopt continue declare
    dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let
    local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source
    suspend test times trap true type typeset ulimit umask unalias unset wait
    """.split(whereSeparator: \.isWhitespace).map(String.init))
}

/// Takes a text apart as a shell does, as long as there are only words with simple quotes in it.
private struct Splitter {
  private let bytes: [UInt8]
  private var index = 0
  private var word: [UInt8] = []
  private var isInWord = false
  private(set) var words: [String] = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// False if anything else is in it.
  mutating func split() -> Bool {
    while let byte = next() {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"): endWord()
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"):
        // A name that is quoted is no reserved word: the shell sees to it.
        guard !words.isEmpty, consume(quotedBy: byte) else { return false }
      default:
        guard Self.isPlain(byte) else { return false }
        add(byte)
      }
    }
    endWord()
    return true
  }

  /// Consumes a text protected by a quote or a backslash; false if it is not simple.
  private mutating func consume(quotedBy quote: UInt8) -> Bool {
    isInWord = true
    if quote == UInt8(ascii: "\\") {
      guard let byte = next(), Self.isText(byte) else { return false }
      add(byte)
      return true
    }
    let isDouble = quote == UInt8(ascii: "\"")
    while let byte = next() {
      if byte == quote { return true }
      guard Self.isText(byte) else { return false }
      if isDouble, byte == UInt8(ascii: "$") || byte == UInt8(ascii: "`") { return false }
      if isDouble, byte == UInt8(ascii: "\\"), index < bytes.count,
        "$`\"\\".utf8.contains(bytes[index])
      {
        add(bytes[index])
        index += 1
      } else {
        add(byte)
      }
    }
    return false
  }

  private mutating func next() -> UInt8? {
    guard index < bytes.count else { return nil }
    index += 1
    return bytes[index - 1]
  }

  private mutating func add(_ byte: UInt8) {
    isInWord = true
    word.append(byte)
  }

  private mutating func endWord() {
    guard isInWord else { return }
    words.append(String(decoding: word, as: UTF8.self))
    word = []
    isInWord = false
  }

  /// Bytes that mean the same to every shell between quotes: none of another alphabet, whose
  /// characters some locales divide otherwise, and no control character but a tab.
  private static func isText(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\t") || (0x20...0x7e).contains(byte)
  }

  /// Bytes that mean nothing but themselves without quotes.
  private static func isPlain(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || "_-./:,+@%=^".utf8.contains(byte)
  }

  static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
