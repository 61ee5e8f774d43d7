import Synchronization
import TaktCore

/// The address of the web page: the start of `{{run_url}}`. A process has one page, and the server
/// of the page sets it.
package enum PageAddress {
  private static let base = Mutex<String?>(nil)

  /// - Parameter url: without a slash at its end; nil without a page.
  package static func set(_ url: String?) { base.withLock { $0 = url } }

  /// The page of a run, or of its job if the run has no number; nil without a page.
  static func ofRun(_ run: RunID, _ job: JobName) -> String? {
    base.withLock(\.self).map { base in
      "\(base)/#/job/\(job.text)" + (run.number > 0 ? "/run/\(run.number)" : "")
    }
  }
}
