import FoundationEssentials

/// Messages of etcd's JSON gateway: 64-bit numbers are texts, keys and values are base64, and empty
/// or false fields are left out.
enum EtcdMessage {
  struct Header: Decodable {
    var revision: String
  }

  struct KeyValue: Decodable {
    var key: String
    var value: String?

    var keyText: String { EtcdMessage.text(base64: key) }
    var valueBytes: Data { Data(base64Encoded: value ?? "") ?? Data() }
  }

  struct Range: Decodable {
    var header: Header?
    var kvs: [KeyValue]?
    var more: Bool?
  }

  struct Transaction: Decodable {
    struct Response: Decodable {
      var response_range: Range?
    }

    var header: Header
    var succeeded: Bool?
    var responses: [Response]?
  }

  struct Token: Decodable {
    var token: String
  }

  struct Version: Decodable {
    var etcdserver: String
  }

  /// A refusal; its fields differ between versions of the gateway.
  struct Refusal: Decodable {
    var error: String?
    var message: String?
    var code: Int?
  }

  struct Credentials: Encodable {
    var name: String
    var password: String
  }

  struct RangeRequest: Encodable {
    var key: String
    var range_end: String?
    var limit: String?
    var revision: String?
    var min_mod_revision: String?

    /// All keys that start with `prefix`, from `start` on.
    init(prefix: String, from start: String? = nil, limit: Int, revision: Int64? = nil) {
      key = EtcdMessage.base64(start ?? prefix)
      range_end = EtcdMessage.base64(EtcdMessage.end(of: prefix))
      self.limit = String(limit)
      self.revision = revision.map { String($0) }
    }

    init(key: String) { self.key = EtcdMessage.base64(key) }
  }

  struct PutRequest: Encodable {
    var key: String
    var value: String
  }

  struct DeleteRequest: Encodable {
    var key: String
  }

  struct Operation: Encodable {
    var request_put: PutRequest?
    var request_range: RangeRequest?
    var request_delete_range: DeleteRequest?
  }

  struct Comparison: Encodable {
    var key: String
    var target: String
    var result = "EQUAL"
    var value: String?
    var create_revision: String?
    var version: String?

    /// Compares a key with a value in base64; nil for a missing key.
    init(_ key: String, is value: String?) {
      self.key = EtcdMessage.base64(key)
      if let value {
        target = "VALUE"
        self.value = value
      } else {
        target = "CREATE"
        create_revision = "0"
      }
    }

    /// A comparison that is true of no key.
    init(neverOf key: String) {
      self.key = EtcdMessage.base64(key)
      target = "VERSION"
      version = "-1"
    }
  }

  struct TransactionRequest: Encodable {
    var compare: [Comparison] = []
    var success: [Operation] = []
    var failure: [Operation] = []
  }

  static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  static func base64(of value: some Encodable) -> String { bytes(value).base64EncodedString() }

  static func text(base64: String) -> String {
    String(decoding: Data(base64Encoded: base64) ?? Data(), as: UTF8.self)
  }

  /// The first key behind all that start with `prefix`, which ends with a slash.
  static func end(of prefix: String) -> String { prefix.dropLast() + "0" }

  static func bytes(_ value: some Encodable) -> Data {
    // Nothing in the requests and records can fail to be encoded.
    (try? JSONEncoder().encode(value)) ?? Data()
  }
}
