// The instants and clocks have a module of their own, so that takt's modules without timers can use
// them; whoever imports this library has them too, with their operators and members.
@_exported public import TaktTime
