import TaktCore

/// The names of keys of the jobs file that are used in several places, so that none is misspelled.
/// Those of a job are in `JobKey`.
enum Key {
  static let scheduler = "scheduler"
  static let defaults = "defaults"
  static let calendars = "calendars"
  static let include = "include"
  static let jobs = "jobs"
  static let extensionPrefix = "x-"

  static let timezone = "timezone"
  static let maxRunning = "max_running"
  static let shutdownGrace = "shutdown_grace"
  static let plugins = "plugins"
  static let concurrency = "concurrency"
  static let state = "state"
  static let none = "none"
  static let history = "history"
  static let keep = "keep"
  static let maxRuns = "max_runs"
  static let output = "output"
  static let merge = "merge"
  static let maxSize = "max_size"
  static let metrics = "metrics"
  static let counters = "counters"
  static let histograms = "histograms"
  static let http = "http"
  static let listen = "listen"
  static let tokenFile = "token_file"
  static let readTokenFile = "read_token_file"
  static let operateTokenFile = "operate_token_file"
  static let proxy = "proxy"
  static let header = "header"
  static let socket = "socket"
  static let user = "user"
  static let secretFile = "secret_file"
  static let users = "users"
  static let others = "others"
  static let names = "names"
  static let cluster = "cluster"
  static let engine = "engine"
  static let url = "url"
  static let endpoints = "endpoints"
  static let authority = "ca"
  static let certificate = "cert"
  static let key = "key"
  static let username = "username"
  static let password = "password"
  static let name = "name"
  static let lease = "lease"
  static let machine = "machine"
  static let labels = "labels"
  static let containers = "containers"
  static let start = "start"
  static let api = "api"
  static let apiTokenFile = "api_token_file"
  static let apiWriteTokenFile = "api_write_token_file"

  static let type = "type"
  static let choices = "choices"
  static let minimum = "min"
  static let maxLength = "max_length"
  static let pattern = "pattern"
  static let defaultValue = "default"
  static let description = "description"

  static let job = "job"
  static let all = "all"
  static let within = "within"
  static let request = "request"
  static let wait = "wait"
  static let path = "path"
  static let debounce = "debounce"
  static let recursive = "recursive"
  static let over = "over"
  static let every = "every"
  static let unit = "unit"
  static let starting = "starting"
  static let dates = "dates"
  static let expressions = "expressions"
  static let day = "day"
  static let by = "by"
  static let continues = "continue"
  static let ignore = "ignore"
  static let add = "add"
  static let when = "when"
  static let repeats = "repeat"
  static let publicURL = "public_url"
  static let whenFull = "when_full"
  static let file = "file"
  static let environment = "env"
  static let handover = "as"
  static let on = "on"
  static let attempts = "attempts"
  static let delay = "delay"
  static let maximum = "max"
  static let files = "files"
  static let ifPossible = "if_possible"
}

/// The owner of the keys being read, for messages: "'kill' of job 'backup'".
struct KeyOwner: CustomStringConvertible {
  enum Part: Equatable {
    case file, scheduler, defaults
    case job(String)
    /// A file of tests, and a test in it.
    case tests
    case test(String)

    var isOfTests: Bool {
      switch self {
      case .tests, .test: true
      case .file, .scheduler, .defaults, .job: false
      }
    }
  }

  var part: Part
  /// The key above them, if it is not the part itself.
  var key: String?

  init(part: Part, key: String? = nil) {
    self.part = part
    self.key = key
  }

  init(_ owner: KeyOwner, _ key: String) {
    self.init(part: owner.part, key: key)
  }

  init(_ owner: KeyOwner, _ key: JobKey) { self.init(owner, key.name) }

  var description: String {
    let name =
      switch part {
      case .file: "the file"
      case .scheduler: "'\(Key.scheduler)'"
      case .defaults: "'\(Key.defaults)'"
      case .job(let name): "job '\(name.shortened)'"
      case .tests: "the tests file"
      case .test(let name): "test '\(name.shortened)'"
      }
    guard let key else { return name }
    return part == .file ? "'\(key)'" : "'\(key)' of " + name
  }
}
