/// Keys of YAML files of other programs that takt has nothing for.
enum ForeignKey {
  /// How much it matters that a value is not kept.
  ///
  /// - Parameter path: its keys, such as `spec.schedule`.
  static func severity(of path: String) -> LossSeverity {
    let keys = path.split(separator: ".").map(String.init)
    if keys.contains(where: grants.contains) { return .changesRun }
    if keys.contains(where: bounds.contains) { return .protectsLess }
    return keys.contains(where: meaningless.contains) ? .noMeaning : .changesRun
  }

  /// Parts of what bounds a container without which its command has other rights or files.
  private static let grants: Set<String> = [
    "runAsUser", "runAsGroup", "fsGroup", "supplementalGroups", "privileged", "add", "sysctls",
  ]
  private static let bounds: Set<String> = [
    "securityContext", "limits", "automountServiceAccountToken", "shareProcessNamespace",
    "activeDeadlineSeconds",
  ]
  /// Names for people, the choice of a machine, and what the other program does for itself.
  private static let meaningless: Set<String> = [
    "labels", "annotations", "namespace", "creationTimestamp", "managedFields",
    "resourceVersion", "uid", "generation", "selfLink", "ownerReferences", "status", "requests",
    "ports", "nodeSelector", "nodeName", "affinity", "tolerations", "topologySpreadConstraints",
    "priorityClassName", "priority", "preemptionPolicy", "schedulerName", "dnsPolicy",
    "enableServiceLinks", "terminationMessagePath", "terminationMessagePolicy", "statsd",
    "saveLimit", "maxLineLength", "streamPrefix", "web", "logging",
  ]
}
