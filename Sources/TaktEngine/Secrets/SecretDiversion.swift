/// A refused action that would send secrets to a destination chosen by a trigger.
enum SecretDiversion {
  static let reason = "secret_diverted"

  static func sentence(of parameter: String) -> String {
    "the trigger has set '\(parameter)', which decides where the job's secrets would go; "
      + "change it in the jobs file instead"
  }
}
