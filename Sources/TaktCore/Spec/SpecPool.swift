/// What specs of one load have in common: of parts that are equal one is kept, for all who have it.
package struct SpecPool {
  private var timings: Set<Timing> = []
  private var actions: Set<Action> = []
  private var executions: Set<Shared<Execution>> = []
  private var policies: Set<Shared<JobPolicies>> = []

  package init() {}

  package mutating func common(_ timing: Timing) -> Timing {
    timings.insert(timing).memberAfterInsert
  }

  package mutating func common(_ action: Action) -> Action {
    actions.insert(action).memberAfterInsert
  }

  package mutating func common(_ execution: Shared<Execution>) -> Shared<Execution> {
    executions.insert(execution).memberAfterInsert
  }

  package mutating func common(_ policies: Shared<JobPolicies>) -> Shared<JobPolicies> {
    self.policies.insert(policies).memberAfterInsert
  }
}
