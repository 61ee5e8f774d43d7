package import TaktCore
package import TaktTime

extension API {
  package struct HeatMap: APIObject {
    package var from = WallInstant.empty
    package var to = WallInstant.empty
    package var timezone = ""
    package var job: String?
    package var cells: [Cell] = []

    package static let schemaName: String? = "HeatMap"
    package static let summary = "What happened in each hour, or on each day, of a range."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("from", &from, "The start")
      fields.add("to", &to, "The end")
      fields.add(
        "timezone", &timezone,
        "Whose days and hours they are: the job's zone, or takt's for all jobs")
      fields.add("job", &job, "The job's name; absent for all jobs together")
      fields.add("cells", &cells, "The cells in which something happened, in the order of time")
    }

    package struct Cell: APIObject {
      package var day = ""
      package var hour: Int?
      package var runs = 0
      package var failures = 0
      package var notRun = 0
      package var meanDuration: Duration?
      package var cpu: Duration?

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("day", &day, "The day, such as 2026-12-24", .format("date"))
        fields.add("hour", &hour, "The hour of the day; absent for a whole day", .min(0).max(23))
        fields.add("runs", &runs, "Runs that began then and have ended, without hooks", .min(0))
        fields.add(
          "failures", &failures, "Those that failed, timed out or were interrupted", .min(0))
        fields.add(
          "not_run", &notRun,
          "Slots due then that did not run, as not_run of GET /api/v1/slots counts them; those of a "
            + "long series are spread evenly over it", .min(0))
        fields.add(
          "mean_duration_ms", &meanDuration,
          "The mean duration of the runs, in milliseconds; absent without one")
        fields.add(
          "cpu_ms", &cpu,
          "Processor time of all runs together, in milliseconds; absent where none is known")
      }
    }
  }
}

extension API.HeatMap.Cell {
  package init(_ cell: TaktCore.HeatMap.Cell) {
    self.init()
    let tally = cell.tally
    day = DayFilter.date(cell.day)
    hour = cell.hour
    runs = tally.runs
    failures = tally.failures
    notRun = tally.notRun
    meanDuration = tally.meanDuration
    cpu = tally.measuredRuns == 0 ? nil : tally.cpu
  }
}
