public import TaktTime

// The instants have one definition for all of takt's modules; a program that depends on this library
// alone finds them here, under the same names.

/// An instant on the wall clock. See `TaktTime.WallInstant`.
public typealias WallInstant = TaktTime.WallInstant

/// An instant on the monotonic clock, which no one can set. See `TaktTime.MonotonicInstant`.
public typealias MonotonicInstant = TaktTime.MonotonicInstant

/// Reads both clocks. See `TaktTime.TimeSource`.
public typealias TimeSource = TaktTime.TimeSource

/// The system's clocks. See `TaktTime.SystemTimeSource`.
public typealias SystemTimeSource = TaktTime.SystemTimeSource
