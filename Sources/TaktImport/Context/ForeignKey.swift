/// Keys in YAML files of other programs without a counterpart in takt.
enum ForeignKey {
  /// The severity of the loss of a value.
  ///
  /// - Parameter path: its keys, such as `spec.schedule`.
  static func severity(of path: String) -> LossSeverity {
    let keys = path.split(separator: ".").map(String.init)
    if keys.contains(where: grants.contains) { return .changesRun }
    if keys.contains(where: bounds.contains) { return .protectsLess }
    return keys.contains(where: meaningless.contains) ? .noMeaning : .changesRun
  }

  /// Settings that bound a container, but without which its command has other rights or files.
  private static let grants: Set<String> = [
    "runAsUser", "runAsGroup", "fsGroup", "supplementalGroups", "privileged", "add", "sysctls",
  ]
  private static let bounds: Set<String> = [
    "securityContext", "limits", "automountServiceAccountToken", "shareProcessNamespace",
    "activeDeadlineSeconds",
  ]
  /// Labels for people, the choice of a machine, and work that the other program does for itself.
  private static let meaningless: Set<String> = [
    "labels", "annotations", "namespace", "creationTimestamp", "managedFields",
    "resourceVersion", "uid", "generation", "selfLink", "ownerReferences", "status", "requests",
    "ports", "nodeSelector", "nodeName", "affinity", "tolerations", "topologySpreadConstraints",
    "priorityClassName", "priority", "preemptionPolicy", "schedulerName", "dnsPolicy",
    "enableServiceLinks", "terminationMessagePath", "terminationMessagePolicy", "statsd",
    "saveLimit", "maxLineLength", "streamPrefix", "web", "logging",
  ]
}
