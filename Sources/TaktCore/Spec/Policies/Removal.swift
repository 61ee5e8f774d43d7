/// The treatment of the runs of a job that a reload removes.
package enum Removal: String, CaseIterable, Hashable, Sendable {
  /// An attempt in progress may end; no further one starts.
  case drain
  /// They are stopped.
  case kill
}
