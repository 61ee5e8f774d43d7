/// Where a child prints.
enum StandardStream: String, CaseIterable {
  case stdout, stderr
}
