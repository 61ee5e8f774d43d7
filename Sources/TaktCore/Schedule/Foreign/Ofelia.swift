/// The common parts of Ofelia's files and labels.
package enum Ofelia {
  package static let kinds = [
    "job-exec", "job-run", "job-local", "job-service-run", "job-compose",
  ]

  /// Ofelia's default is root, whatever the image says.
  package static let defaultUser = "root"

  /// The times of a job, in five or six fields; nil if Ofelia or takt cannot read them.
  package static func schedule(_ text: String) -> GoSchedule? {
    GoSchedule(text, allowsSeconds: true, manual: ["@triggered", "@manual", "@none"])
  }
}
