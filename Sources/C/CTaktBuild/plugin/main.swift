import TaktPlugin

await Plugin(name: "NAME", version: "0.1.0").serve { run in
  run.log("hello \(run.text("who") ?? "world")")
  return .ok
}
