import TaktCore
import Testing

@testable import TaktImport

@Suite struct KubernetesImportTests {
  /// A CronJob whose container, pod and schedule also have these lines.
  private func result(
    container: String = "", pod: String = "", schedule: String = "0 3 * * *"
  ) throws -> Importer.Result {
    func indented(_ text: String, _ count: Int) -> String {
      text.split(separator: "\n").map { String(repeating: " ", count: count) + $0 + "\n" }.joined()
    }
    let text = """
      kind: CronJob
      metadata: {name: x}
      spec:
        schedule: "\(schedule)"
        jobTemplate:
          spec:
            template:
              spec:
                containers:
                - image: app:1
      \(indented(container, 12))\(indented(pod, 10))
      """
    let result = try ImportFixture.imported(text, as: "x.yaml")
    #expect(result.report.unreadable.isEmpty, "\(result.report.unreadable)")
    _ = try ImportFixture.load(result.text)
    return result
  }

  @Test func `a variable with a name that takt does not pass goes to Docker`() throws {
    let result = try result(
      container: "env: [{name: MY-VAR, value: '1'}, {name: TAKT_X, value: '2'}, {name: C}]")
    #expect(
      result.words() == [
        "docker", "run", "--rm", "--env", "MY-VAR=1", "--env", "TAKT_X=2", "--env", "C", "app:1",
      ])
    #expect(result.value(.environment) == .mapping(["C": .text("")]))
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test(arguments: [
    ("$(A)", "1"), ("x$(B)/$(A)", "x1-2/1"), ("$$(A)", "$(A)"), ("$(C)", "$(C)"), ("$A", "$A"),
    ("$(A", "$(A"), ("a$", "a$"), ("$$$(A)", "$1"),
  ])
  func `the variables that a command names have their values`(text: String, value: String) throws {
    let result = try result(
      container: """
        env: [{name: A, value: '1'}, {name: B, value: '$(A)-2'}]
        args: ['\(text)']
        """)
    #expect(result.words().last == value)
    #expect(result.value(.environment) == .mapping(["A": .text("1"), "B": .text("1-2")]))
  }

  @Test func `without a zone the times are in UTC, and a note says so`() throws {
    let result = try result()
    #expect(result.value(.timezone) == .word("UTC"))
    #expect(result.report.notes.map(\.sentence).contains { $0.contains("nearly always UTC") })
  }

  @Test func `a variable of a secret disables the job and is named`() throws {
    let result = try result(
      container: """
        env: [{name: KEY, valueFrom: {secretKeyRef: {name: s, key: k}}}]
        args: ['$(KEY)']
        """)
    #expect(result.isDisabled)
    #expect(result.words().contains("KEY"))
    #expect(result.lost.count == 3, "\(result.lost)")
    #expect(result.lost.allSatisfy { $0.contains("value of KEY") }, "\(result.lost)")
  }

  @Test(arguments: [
    "envFrom: [{configMapRef: {name: conf}}]", "envFrom: [{secretRef: {name: conf}}]",
    "volumeMounts: [{name: conf, mountPath: /etc/app}]",
  ])
  func `what the cluster alone has disables the job`(line: String) throws {
    let result = try result(
      container: line, pod: "volumes: [{name: conf, configMap: {name: conf}}]")
    #expect(result.isDisabled)
    #expect(
      result.lost.contains { $0.contains("'conf', and so") || $0.contains("in 'conf'") },
      "\(result.lost)")
  }

  @Test func `folders of the machine and empty ones are mounted`() throws {
    let result = try result(
      container: """
        imagePullPolicy: Always
        volumeMounts:
        - {name: a, mountPath: /a, readOnly: true}
        - {name: b, mountPath: /b}
        """,
      pod: "volumes: [{name: a, hostPath: {path: /srv/a}}, {name: b, emptyDir: {}}]")
    #expect(
      result.words() == [
        "docker", "run", "--rm", "--pull", "always", "--volume", "/srv/a:/a:ro", "--volume", "/b",
        "app:1",
      ])
    #expect(!result.isDisabled)
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test func `a container that comes before disables the job`() throws {
    let result = try result(pod: "initContainers: [{name: wait, image: busybox}]")
    #expect(result.isDisabled)
  }

  @Test func `a date that never comes is a CronJob that starts by hand`() throws {
    let result = try result(schedule: "0 0 31 2 *")
    #expect(result.value(.on) == .word("manual"))
    #expect(result.value(.cron) == nil)
    #expect(result.value(.timezone) == nil)
    #expect(result.value(.missed) == nil)
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test(arguments: [
    "spec: {schedule: '* * * * *'}", "spec: {schedule: '* * * * *', jobTemplate: {spec: {}}}",
    "spec: {schedule: '* * * * *', jobTemplate: {spec: {template: {spec: {containers: []}}}}}",
    "spec: {jobTemplate: {spec: {template: {spec: {containers: [{image: x}]}}}}}", "spec:", "",
  ])
  func `a CronJob without a schedule or a container is left out, which changes what runs`(
    spec: String
  ) throws {
    let result = try ImportFixture.imported(
      "kind: CronJob\nmetadata: {name: x}\n\(spec)\n", as: "x.yaml")
    #expect(result.jobs.isEmpty)
    #expect(!result.report.isComplete)
    #expect(result.lost.contains { $0.contains("no schedule or no container") }, "\(result.lost)")
    _ = try ImportFixture.load(result.text)
  }

  @Test(arguments: [
    (
      "x.json",
      """
      {
          "apiVersion": "v1",
          "items": [
              {
                  "kind": "CronJob",
                  "metadata": {"name": "x"},
                  "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"spec": {
                      "containers": [{"image": "app:1"}]}}}}}
              }
          ],
          "kind": "List"
      }
      """
    ),
    (
      "x",
      #"{"kind":"CronJob","metadata":{"name":"x"},"spec":{"schedule":"0 3 * * *","#
        + #""jobTemplate":{"spec":{"template":{"spec":{"containers":[{"image":"app:1"}]}}}}}}"#
    ),
    (
      "x.yaml",
      """
      ---
      {kind: CronJob, metadata: {name: x}, spec: {schedule: '0 3 * * *', jobTemplate: {
        spec: {template: {spec: {containers: [{image: 'app:1'}]}}}}}}
      """
    ),
    (
      "x.yml",
      """
      # In quotes.
      "kind": 'CronJob'
      metadata: {name: x}
      spec: {schedule: '0 3 * * *', jobTemplate: {
        spec: {template: {spec: {containers: [{image: 'app:1'}]}}}}}
      """
    ),
  ])
  func `a CronJob is recognised in all forms of YAML and JSON`(name: String, text: String) throws {
    let result = try ImportFixture.imported(text, as: name)
    #expect(result.report.unreadable.isEmpty, "\(result.report.unreadable)")
    #expect(result.report.sources.map(\.kind) == [.kubernetes])
    #expect(result.jobs.map(\.name) == ["x"])
    #expect(result.words() == ["docker", "run", "--rm", "app:1"])
  }
}
