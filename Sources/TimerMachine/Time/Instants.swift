// The instants have one definition for all of takt's modules; a program that depends on this library
// alone finds them here, with their operators.
@_exported public import TaktTime
