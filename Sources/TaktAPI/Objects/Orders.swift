package import TaktTime

extension API {
  package struct Trigger: APIObject {
    package var slot: String?
    package var parameters: [String: String]?
    package var force: Bool?
    package var backfill: Bool?
    package var again: Bool?

    package static let schemaName: String? = "Trigger"
    package static let summary = "Parameters of a triggered run."
    package static let isClosed = true

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add(
        "slot", &slot, "The slot passed to the run, from 1970 to 2200; default: now",
        .pattern(API.instantPattern))
      fields.add(
        "parameters", &parameters,
        "For a built-in or a plugin: replaces parameters under `with`; over TCP only those "
          + "that the job opens with `params`, otherwise 400 with their names. For a command: "
          + "TAKT_PARAM_NAME in its environment, within the bounds of `params`",
        .names(#"^[A-Za-z0-9_]{1,64}$"#).items("", .pattern(#"^[^\u0000]*$"#).maxLength(16384)))
      fields.add(
        "force", &force, "Run it in parallel with other runs of the job, whatever its overlap",
        .standard(false))
      fields.add(
        "backfill", &backfill,
        "Run it for a slot of the past, which keeps its verdict. The run waits for other runs"
          + " of the job unless it is forced, and no hook or after follows it. If such a run of "
          + "the slot is active or has just succeeded, the answer is that run. Needs slot",
        .standard(false))
      fields.add(
        "again", &again,
        "Run the slot once more although a backfill has just run it successfully. Needs "
          + "backfill", .standard(false))
    }
  }

  package struct Suspend: APIObject {
    package var `for`: String?
    package var until: String?
    package var reason: String?

    package static let schemaName: String? = "Suspend"
    package static let schemaRest = Array(#""not":{"required":["for","until"]}"#.utf8)
    package static let summary =
      "How long to suspend a job, and why. Without for and until: until it is resumed."
    package static let isClosed = true

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add(
        "for", &`for`, "A duration from 1ms to 36499d, such as 90m or 2d",
        .pattern(#"^[1-9][0-9]{0,4}(ms|s|m|h)$|^[1-9][0-9]{0,3}d$"#))
      fields.add(
        "until", &until, "The end of the suspension: a future instant", .pattern(API.futurePattern))
      fields.add("reason", &reason, "Why, for people", .maxLength(1000))
    }
  }

  package struct DrainOrder: APIObject {
    package var hold: Bool?

    package static let schemaName: String? = "DrainOrder"
    package static let summary = "What the daemon does when no run is active any more."
    package static let isClosed = true

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add(
        "hold", &hold, "Stay, without starting runs, instead of ending", .standard(false))
    }
  }

  package struct CalendarOrder: APIObject {
    package var replace: Bool?

    package static let schemaName: String? = "CalendarOrder"
    package static let summary = "What becomes of the calendar's token."
    package static let isClosed = true

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add(
        "replace", &replace, "Make another token; the one before no longer counts",
        .standard(false))
    }
  }

  package struct Once: APIObject {
    package var name: String?
    package var at: String?
    package var run: [String]?
    package var timeout: String?
    package var cwd: String?

    package static let schemaName: String? = "Once"
    package static let summary = "A command that runs once."
    package static let isClosed = true

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("name", &name, "The job's name; by default `once-` and the instant.")
      fields.add("at", &at, "When it runs: an instant to come.", .format("date-time").needed)
      fields.add("run", &run, "The program and its arguments.", .minItems(1).needed)
      fields.add("timeout", &timeout, "How long it may take, such as 10m.")
      fields.add("cwd", &cwd, "The absolute path of its working folder.")
    }
  }

  package struct OnceJob: APIObject {
    package var name = ""
    package var at = WallInstant.empty

    package static let schemaName: String? = "OnceJob"
    package static let summary = "A job that runs once."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("name", &name, "The job's name")
      fields.add("at", &at, "When it runs")
    }
  }
}

extension API {
  /// The instants that a request may name, for those who check one or make one up: what
  /// `WallInstant(apiText:)` takes with a time to the second, without 1970-01-01 east of Greenwich, of
  /// which only a part is in 1970.
  package static let instantPattern =
    "^(1970-01-01\(time)([Zz]|-\(offset))"
    + "|(1970-(01-(0[2-9]|[12][0-9]|3[01])|\(laterDay))"
    + "|(197[1-9]|19[89][0-9]|2[01][0-9][0-9]|2200)-\(anyDay)|\(leapYear)-02-29)\(time)\(zone))$"
  static let futurePattern = "^(20[3-9][0-9]|21[0-9][0-9])-\(anyDay)\(time)\(zone)$"

  private static let days31 = "(0[1-9]|[12][0-9]|3[01])"
  /// A day of February to December that each year has.
  private static let laterDay =
    "((0[3578]|1[02])-\(days31)|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
  private static let anyDay = "(01-\(days31)|\(laterDay))"
  private static let leapYear =
    "(19(7[26]|8[048]|9[26])|20([02468][048]|[13579][26])|21(0[48]|[2468][048]|[13579][26]))"
  private static let time = #"[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?"#
  private static let offset = "([01][0-9]|2[0-3]):[0-5][0-9]"
  private static let zone = "([Zz]|[+-]\(offset))"
}
