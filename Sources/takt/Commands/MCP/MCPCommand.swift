import ArgumentParser
import Glibc
import TaktSystem

struct MCPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Serve the Model Context Protocol on standard input and output.",
    discussion: """
      An AI agent starts it and calls its tools: status, jobs, job, slots, runs, logs, why and plan \
      read; trigger, suspend, resume and cancel are there with --operate alone. The tools have the \
      rights of the user who runs the command, and use the daemon's socket as other commands do.

      Messages are JSON-RPC 2.0, one a line. The end of standard input ends it, with 0. An agent may \
      start it in any folder, so name the jobs file with -f.
      """)

  @Flag(help: "Offer the tools that change something: trigger, suspend, resume and cancel.")
  var operate = false

  @OptionGroup var control: ControlArgument

  func run() throws {
    if isatty(STDIN_FILENO) == 1 {
      Console.error("takt: reading JSON-RPC messages from this terminal; Ctrl-D ends it")
    }
    // An agent that is gone is no error; the write reports it.
    signal(SIGPIPE, SIG_IGN)
    let output = MCPOutput(descriptor: STDOUT_FILENO)
    let calls = MCPCalls(control: control) { output.write($0) }
    var session = MCPSession(tools: MCPTool.all(operating: operate))
    var input = MCPInput(descriptor: STDIN_FILENO)
    while let item = input.next() {
      switch item {
      case .line(let line): calls.perform(session.receive(line))
      case .tooLong: calls.perform(session.refuseTooLong(MCPInput.lineBytesMax))
      case .failed(let number):
        Console.error("takt: cannot read standard input: \(SystemError.text(number))")
        throw ExitCode.system
      }
    }
    calls.waitForAll()
  }
}
