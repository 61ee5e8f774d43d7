import ArgumentParser
import TaktCore
import TaktEngine
import TaktTime

struct FaultArgument {
  let start: WallInstant
  let span: Duration
  let snapshot: Snapshot
  let file: String

  /// `step=-1h@2026-03-29T01:30`, `slow=backup:2m`, `sleep`; ends the program with a sentence for
  /// any other text.
  func fault(_ text: String) throws -> SimulatedFault {
    let zone = snapshot.settings.zone
    let reader = FaultText(
      from: start, for: span, jobs: snapshot,
      instant: { try InstantArgument.read($0, of: "--fault \(text)", in: zone) },
      load: { path in
        let source = JobsFileSource(path: path, catalogue: BuiltinRegistry.standard)
        return try source.loadOrExit(isQuiet: true).snapshot
      })
    do {
      return try reader.fault(text)
    } catch FaultText.Problem.wrong(let hint) {
      throw ValidationError("--fault \(text.printable): \(hint).")
    } catch FaultText.Problem.outside {
      throw ValidationError(
        "--fault \(text.printable): the time is outside the simulation; see --from and --for.")
    } catch FaultText.Problem.noJob(let name, let advice) {
      throw ValidationError(
        "there is no job '\(name.printable)' in \(file)"
          + (advice.map { "; \($0)" } ?? ".").printable)
    }
  }
}
