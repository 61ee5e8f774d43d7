package import TaktCore
package import TaktTime

extension API.Param {
  package init(_ parameter: BoundedParameter) {
    let schema = parameter.schema
    name = schema.name
    type = parameter.typeName
    choices = parameter.choiceTexts
    min = parameter.minimumText
    max = parameter.maximumText
    maxLength = parameter.lengthMax
    pattern = parameter.pattern
    self.default = parameter.defaultText
    description = schema.summary.isEmpty ? nil : schema.summary
  }
}

extension API.JobDetail.Part {
  package init(path: String, text: String) { (self.path, self.text) = (path, text) }
}

extension API.Job.AfterAll {
  package init(_ ends: GatheredEnds) {
    missing = ends.missing.map { parent in
      var shown = Parent()
      shown.job = parent.job.text
      shown.on = parent.condition.rawValue
      return shown
    }
    ended = ends.ended.map { end in
      var shown = End()
      shown.job = end.job.text
      shown.at = end.at
      return shown
    }
  }
}

extension API.Job.Passed {
  package init(_ slot: WallInstant, _ verdict: Verdict) {
    self.slot = slot
    self.verdict = verdict.name
    reason = verdict.detail
  }
}
