import TaktCore

extension KeyTable {
  static let surroundings: [KeyEntry] = [
    KeyEntry(
      Key.shell, .oneOf([.list(.text(allowsEmpty: true)), .path]), default: "`/bin/sh`",
      reload: .updates, mayStandInDefaults: true,
      "What runs a `run` that is a text: a program, called with `-c`, or a list of program and "
        + "arguments."),
    KeyEntry(
      Key.inheritance, .oneOf([.list(.variable), .boolean]),
      default: "`true`; with another user as `user`, `[LANG]`",
      reload: .updates, mayStandInDefaults: true,
      "What of takt's own environment the command gets: all, with `false` nothing but a standard "
        + "`PATH`, or the named variables and a standard `PATH`."),
    KeyEntry(
      Key.environmentFile, .oneOrMore(.path), reload: .updates, mayStandInDefaults: true,
      "Files of lines `NAME=value`, read when the jobs file is; a later one wins."),
    KeyEntry(
      Key.environment, .map(.environment, .text(allowsEmpty: true)), reload: .updates,
      mayStandInDefaults: true,
      "Added to what is inherited and to `env_file`; values are taken as written."),
    KeyEntry(
      Key.secrets, .map(.environment, .object(secret)), reload: .updates,
      mayStandInDefaults: true,
      "Values that the command gets and that are masked in all it prints, by the names of "
        + "variables."),
    KeyEntry(
      Key.directory, .path, default: "the folder of the file", reload: .updates,
      mayStandInDefaults: true, "The folder in which the command starts."),
    KeyEntry(
      Key.user, .text(allowsEmpty: false), default: "takt's own", reload: .updates,
      mayStandInDefaults: true,
      "Whom the command runs as, by name or number; with the user's groups, HOME, LOGNAME, USER "
        + "and SHELL."),
    KeyEntry(
      Key.group, .text(allowsEmpty: false), default: "the user's own", reload: .updates,
      mayStandInDefaults: true, "The group that the command runs as, by name or number."),
    KeyEntry(
      Key.umask, .umask, default: "takt's own", reload: .updates, mayStandInDefaults: true,
      "What is taken from the permissions of files that the command makes."),
    KeyEntry(
      Key.stdin, .text(allowsEmpty: true), default: "nothing", reload: .updates,
      mayStandInDefaults: true, "What the command reads on its standard input."),
    KeyEntry(
      Key.limits, .object(limits), reload: .updates, mayStandInDefaults: true,
      "What the command may use at most."),
  ]

  /// The keys of a secret. Secrets replace those of `defaults` as a whole, so that null means
  /// nothing in one.
  package static let secret: [KeyEntry] = [
    KeyEntry(
      Key.file, .path, reload: .updates, mayStandInDefaults: true, mayBeNull: false,
      "The file with the value, read when an attempt starts; one line end at its end does not "
        + "count."),
    KeyEntry(
      Key.environment, .variable, reload: .updates, mayStandInDefaults: true, mayBeNull: false,
      "The variable of takt's own environment with the value, instead of `file`."),
    KeyEntry(
      Key.handover, .choice(Secret.Delivery.allCases.map(\.rawValue)), default: "`env`",
      reload: .updates, mayStandInDefaults: true, mayBeNull: false,
      "What the command's variable holds: the value (`env`), or the path of a file with it "
        + "(`file`)."),
  ]

  /// The keys under `limits`.
  package static let limits: [KeyEntry] = [
    KeyEntry(
      Key.memory, .size(1...SizeText.maximumBytes), default: "takt's own", reload: .updates,
      mayStandInDefaults: true, "Address space."),
    KeyEntry(
      Key.cpu, .wholeSeconds, default: "takt's own", reload: .updates, mayStandInDefaults: true,
      "Processor time."),
    KeyEntry(
      Key.files, .integer(1...1_048_576), default: "takt's own", reload: .updates,
      mayStandInDefaults: true, "Open descriptors."),
    KeyEntry(
      Key.processes, .integer(1...4_194_304), default: "takt's own", reload: .updates,
      mayStandInDefaults: true, "Processes and threads of the command's user."),
    KeyEntry(
      Key.core, .size(0...SizeText.maximumBytes), default: "takt's own", reload: .updates,
      mayStandInDefaults: true, "A core dump; `0B` for none."),
    KeyEntry(
      Key.fileSize, .size(0...SizeText.maximumBytes), default: "takt's own", reload: .updates,
      mayStandInDefaults: true, "The longest file that it may write."),
  ]
}
