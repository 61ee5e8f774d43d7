import TaktCore
import TaktTime

/// Reads the CronJobs of a Kubernetes manifest. Their containers run through `docker run`.
struct KubernetesImport {
  let context: ImportContext

  private var report: ImportReport { context.report }

  func run(_ documents: [ForeignNode], file: String) {
    for document in documents {
      let parts = document["kind"]?.text == "List" ? document["items"]?.items ?? [] : [document]
      for part in parts { importObject(part, file) }
    }
  }

  private func importObject(_ object: ForeignNode, _ file: String) {
    let leaves = ForeignLeaves(object, report)
    guard object["kind"]?.text == "CronJob" else {
      return leaves.loseRest("this is no CronJob")
    }
    leaves.keep("kind", as: "a job")
    leaves.keep("apiVersion", as: "a job")
    let name = context.newName(like: object["metadata"]?["name"]?.text ?? "job")
    leaves.keep("metadata.name", as: "the name of the job", in: name)
    var draft = JobDraft(name: name, comments: ["\(file):\(object.place.line)"])
    guard let spec = object["spec"], spec["schedule"]?.text != nil,
      let job = spec["jobTemplate"]?["spec"],
      job["template"]?["spec"]?["containers"]?.items.isEmpty == false
    else {
      leaves.lose("kind", "this CronJob has no schedule or no container, and so it is left out")
      return leaves.loseRest("the CronJob is left out")
    }
    guard setTimes(spec, leaves, in: &draft) else {
      return leaves.loseRest("the CronJob is left out")
    }
    setPolicies(spec, leaves, in: &draft)
    setJob(job, leaves, in: &draft)
    leaves.loseRest("takt has nothing for this")
    context.add(draft)
  }

  private func setTimes(
    _ spec: ForeignNode, _ leaves: ForeignLeaves, in draft: inout JobDraft
  ) -> Bool {
    guard let text = spec["schedule"]?.text else { return false }
    guard let schedule = GoSchedule(text, allowsSeconds: false) else {
      leaves.lose("spec.schedule", "takt does not read these times")
      return false
    }
    schedule.set(in: &draft)
    switch schedule.times {
    case .manual:
      for key in ["schedule", "timeZone", "startingDeadlineSeconds"] {
        leaves.keep("spec.\(key)", as: "on: manual", in: draft.name)
      }
      return true
    case .every:
      leaves.differ("spec.schedule", "counted from the first load of the job", in: draft.name)
      return true
    case .cron: leaves.keep("spec.schedule", as: "cron", in: draft.name)
    }
    let zone = schedule.zone ?? spec["timeZone"]?.text
    let zonePath = schedule.zone == nil ? "spec.timeZone" : "spec.schedule"
    guard let zone else {
      draft[.timezone] = .word("UTC")
      report.note(
        "without timeZone, the zone of the cluster's controller counts, which is nearly always UTC",
        at: spec.place)
      return true
    }
    if context.options.isZone(zone) {
      draft[.timezone] = .text(zone)
      leaves.keep(zonePath, as: "timezone", in: draft.name)
    } else {
      leaves.lose(zonePath, "there is no time zone '\(zone)'", in: draft.name)
    }
    return true
  }

  private func setPolicies(_ spec: ForeignNode, _ leaves: ForeignLeaves, in draft: inout JobDraft) {
    let policies = ["Allow": "allow", "Forbid": "skip", "Replace": "replace"]
    let policy = spec["concurrencyPolicy"]?.text
    draft[.overlap] = .word(policies[policy ?? "Allow"] ?? "allow")
    if policy == nil || policies[policy ?? ""] != nil {
      leaves.keep("spec.concurrencyPolicy", as: "overlap", in: draft.name)
    }
    if draft[.on] == nil { draft[.missed] = .mapping(["policy": .word("last")]) }
    if draft[.on] == nil,
      let seconds = spec["startingDeadlineSeconds"]?.text.flatMap({ Int($0) }),
      (1...31_536_000).contains(seconds)
    {
      draft.set(.missed, "within", .word(DurationText.format(.seconds(seconds))))
      leaves.keep("spec.startingDeadlineSeconds", as: "missed.within", in: draft.name)
    }
    if let text = spec["suspend"]?.text {
      if text == "true" { draft[.enabled] = .word("false") }
      leaves.keep("spec.suspend", as: "enabled", in: draft.name)
    }
    for key in ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"] {
      leaves.differ("spec.\(key)", "takt keeps runs as 'scheduler.history' says", in: draft.name)
    }
  }

  private func setJob(_ job: ForeignNode, _ leaves: ForeignLeaves, in draft: inout JobDraft) {
    let path = "spec.jobTemplate.spec"
    if let seconds = job["activeDeadlineSeconds"]?.text.flatMap({ Int($0) }),
      (1...31_536_000).contains(seconds)
    {
      draft[.timeout] = .word(DurationText.format(.seconds(seconds)))
      leaves.differ(
        "\(path).activeDeadlineSeconds", "for each attempt, and not for all together",
        in: draft.name)
    }
    let limit = job["backoffLimit"]?.text.flatMap { Int($0) } ?? 6
    if limit > 0 {
      draft[.retry] = .mapping([
        "attempts": .word("\(min(limit, 999) + 1)"), "delay": .word("10s"), "max": .word("6m"),
      ])
    }
    leaves.keep("\(path).backoffLimit", as: "retry.attempts", in: draft.name)
    leaves.keep("\(path).ttlSecondsAfterFinished", as: "there is no pod to remove", in: draft.name)
    leaves.keep("\(path).template.spec.restartPolicy", as: "retry", in: draft.name)
    guard let pod = job["template"]?["spec"], let container = container(of: pod) else {
      draft[.run] = .list([.text("true")])
      draft[.enabled] = .word("false")
      for key in ["containers", "initContainers"] {
        leaves.lose(
          "\(path).template.spec.\(key)", "takt runs one container; the job is disabled",
          in: draft.name)
      }
      return
    }
    var reader = KubernetesContainer(
      leaves: leaves, path: "\(path).template.spec", pod: pod, container)
    reader.set(in: &draft)
  }

  /// The only container of a pod; nil if there are several, or it has no image.
  private func container(of pod: ForeignNode) -> ForeignNode? {
    guard let containers = pod["containers"]?.items, containers.count == 1,
      containers[0]["image"]?.text != nil, pod["initContainers"]?.items.isEmpty != false
    else { return nil }
    return containers[0]
  }
}
