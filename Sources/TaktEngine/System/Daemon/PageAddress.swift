import Synchronization
import TaktCore

/// Where people reach the web page: what `{{run_url}}` begins with. A process has one page; whoever
/// serves it says where.
package enum PageAddress {
  private static let base = Mutex<String?>(nil)

  /// - Parameter url: without a slash at its end; nil where there is no page.
  package static func set(_ url: String?) { base.withLock { $0 = url } }

  /// The page of a run, or of its job when the run has no number; nil without a page.
  static func ofRun(_ run: RunID, _ job: JobName) -> String? {
    base.withLock(\.self).map { base in
      "\(base)/#/job/\(job.text)" + (run.number > 0 ? "/run/\(run.number)" : "")
    }
  }
}
