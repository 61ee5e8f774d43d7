import FormerCore
import TaktCore
import TaktTime

/// A value of the present core that the former core has as well, under the same name.
protocol HasFormer {
  associatedtype Former
  var former: Former { get }
}

/// An enumeration of words: the same word in the former core.
protocol FormerWord: HasFormer, RawRepresentable
where RawValue == String, Former: RawRepresentable<String> {}

extension FormerWord {
  var former: Former {
    guard let word = Former(rawValue: rawValue) else {
      preconditionFailure("the former core has no \(Self.self) '\(rawValue)'")
    }
    return word
  }
}

extension Array where Element: HasFormer {
  var former: [Element.Former] { map(\.former) }
}

extension TaktCore.Delivery: FormerWord { typealias Former = FormerCore.Delivery }
extension TaktCore.Removal: FormerWord { typealias Former = FormerCore.Removal }
extension TaktCore.Overlap: FormerWord { typealias Former = FormerCore.Overlap }
extension TaktCore.QoS: FormerWord { typealias Former = FormerCore.QoS }
extension TaktCore.HookKind: FormerWord { typealias Former = FormerCore.HookKind }
extension TaktCore.StopSignal: FormerWord { typealias Former = FormerCore.StopSignal }
extension TaktCore.Leftovers: FormerWord { typealias Former = FormerCore.Leftovers }
extension TaktCore.Occasion: FormerWord { typealias Former = FormerCore.Occasion }
extension TaktCore.Every.Origin: FormerWord { typealias Former = FormerCore.Every.Origin }
extension TaktCore.Every.Phase: FormerWord { typealias Former = FormerCore.Every.Phase }
extension TaktCore.Following.Condition: FormerWord {
  typealias Former = FormerCore.Following.Condition
}
extension TaktCore.CronDayRule: FormerWord { typealias Former = FormerCore.CronDayRule }
extension TaktCore.DSTPolicy.Gap: FormerWord { typealias Former = FormerCore.DSTPolicy.Gap }
extension TaktCore.DSTPolicy.Overlap: FormerWord {
  typealias Former = FormerCore.DSTPolicy.Overlap
}
extension TaktCore.MissedPolicy.Choice: FormerWord {
  typealias Former = FormerCore.MissedPolicy.Choice
}
extension TaktCore.RetryPolicy.Cause: FormerWord {
  typealias Former = FormerCore.RetryPolicy.Cause
}
extension TaktCore.RetryPolicy.End: FormerWord { typealias Former = FormerCore.RetryPolicy.End }
extension TaktCore.OutputPolicy.Logging: FormerWord {
  typealias Former = FormerCore.OutputPolicy.Logging
}
extension TaktCore.Secret.Delivery: FormerWord { typealias Former = FormerCore.Secret.Delivery }
extension TaktCore.PluginManifest.Kind: FormerWord {
  typealias Former = FormerCore.PluginManifest.Kind
}
extension TaktCore.PluginManifest.Mode: FormerWord {
  typealias Former = FormerCore.PluginManifest.Mode
}
extension TaktCore.SlotCause: FormerWord { typealias Former = FormerCore.SlotCause }
extension TaktCore.SkipReason: FormerWord { typealias Former = FormerCore.SkipReason }
extension TaktCore.MissCause: FormerWord { typealias Former = FormerCore.MissCause }
extension TaktCore.CancelReason: FormerWord { typealias Former = FormerCore.CancelReason }
extension TaktCore.Outcome: FormerWord { typealias Former = FormerCore.Outcome }
extension TaktCore.FailureSign: FormerWord { typealias Former = FormerCore.FailureSign }
extension TaktCore.StartStage: FormerWord { typealias Former = FormerCore.StartStage }
extension TaktCore.RunHead.Kind: FormerWord { typealias Former = FormerCore.RunHead.Kind }
extension TaktCore.RunState.Kind: FormerWord { typealias Former = FormerCore.RunState.Kind }
extension TaktCore.LogLevel: FormerWord { typealias Former = FormerCore.LogLevel }
extension TaktCore.LogEvent: FormerWord { typealias Former = FormerCore.LogEvent }
extension TaktCore.LogKey: FormerWord { typealias Former = FormerCore.LogKey }
extension TaktCore.TimerView: FormerWord { typealias Former = FormerCore.TimerView }
extension TaktCore.JobView.State: FormerWord { typealias Former = FormerCore.JobView.State }
extension TaktCore.SchedulerPhase: FormerWord { typealias Former = FormerCore.SchedulerPhase }

extension TaktCore.JobName: HasFormer {
  var former: FormerCore.JobName {
    guard let name = FormerCore.JobName(text) else { preconditionFailure("no name: \(text)") }
    return name
  }
}

extension TaktCore.RunID: HasFormer {
  var former: FormerCore.RunID { FormerCore.RunID(number) }
}
