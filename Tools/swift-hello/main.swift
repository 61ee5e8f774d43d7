import TaktPlugin

await Plugin(name: "swift-hello", version: "1.0.0").serve { run in
  let who = run.text("who") ?? "world"
  for step in 1...3 {
    run.progress(Double(step) * 100 / 3)
    try await Task.sleep(for: .milliseconds(run.number("pause") ?? 0))
  }
  run.log("hello \(who)")
  return .ok("greeted \(who) for \(run.job)")
}
