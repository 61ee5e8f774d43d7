/// What Ofelia's files and labels have in common.
package enum Ofelia {
  package static let kinds = [
    "job-exec", "job-run", "job-local", "job-service-run", "job-compose",
  ]

  /// Ofelia takes root where nothing is said, whatever the image says.
  package static let defaultUser = "root"

  /// The times of a job, in five or six fields; nil where Ofelia does not read them, or takt does not.
  package static func schedule(_ text: String) -> GoSchedule? {
    GoSchedule(text, allowsSeconds: true, manual: ["@triggered", "@manual", "@none"])
  }
}
