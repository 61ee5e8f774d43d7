extension MachineCore {
  /// The handler that the machine was made with, unless another was set.
  func mainHandler(in group: TimerGroup) -> MainHandler? {
    guard let extras, extras.isHandlerReplaced else { return group.handler }
    return extras.handler
  }

  /// True if a fire would call a handler.
  func hasHandlers(in group: TimerGroup) -> Bool {
    guard let extras else { return group.handler != nil }
    return mainHandler(in: group) != nil || !extras.handlers.isEmpty
  }

  /// Sets or removes the main handler.
  ///
  /// - Returns: the handler before.
  mutating func replaceMainHandler(
    with handler: MainHandler?, in group: TimerGroup
  ) -> MainHandler? {
    let previous = mainHandler(in: group)
    let extras = madeExtras()
    extras.isHandlerReplaced = true
    extras.handler = handler
    return previous
  }
}
