/// A message of the host; which fields it has depends on its type.
struct HostMessage: Decodable {
  var type: String
  var mode: String?
  var run: String?
  var job: String?
  var slot: String?
  var attempt: Int?
  var fence: UInt64?
  var deadline: String?
  var parameters: [String: PluginParameter]?
  var secrets: [String: String]?
  var id: Int?
}
