// The instants and clocks have a module of their own, so that takt's modules without timers can use
// them; users of this library have them too, with their operators and members.
@_exported public import TaktTime
