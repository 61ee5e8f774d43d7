public import TaktTime

// The instants have one definition for all of takt's modules; a program that depends on this library
// alone finds them here, under the same names.

/// A moment on the clock that people read. See `TaktTime.WallInstant`.
public typealias WallInstant = TaktTime.WallInstant

/// A moment on the clock that nobody can set. See `TaktTime.MonotonicInstant`.
public typealias MonotonicInstant = TaktTime.MonotonicInstant

/// Reads both clocks. See `TaktTime.TimeSource`.
public typealias TimeSource = TaktTime.TimeSource

/// The machine's own clocks. See `TaktTime.SystemTimeSource`.
public typealias SystemTimeSource = TaktTime.SystemTimeSource
