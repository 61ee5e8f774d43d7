/// Names with a meaning for the usual shells: `sh`, `dash`, `ash`, `bash`, `ksh`, `mksh` and `zsh`.
enum ShellBuiltins {
  /// Keywords before a command.
  static let leadingKeywords: Set<String> = [
    "if", "then", "elif", "else", "do", "while", "until", "!", "{", "time",
  ]

  static let keywords = leadingKeywords.union([
    "for", "select", "case", "function", "fi", "done", "esac", "}", "in", "[[", "]]",
  ])

  /// Built-ins that take names of variables, which an argument `NAME=value` may set.
  static let declaring: Set<String> = [
    "export", "readonly", "local", "declare", "typeset",
  ]

  /// Built-ins and keywords that evaluate, or may evaluate, an argument as code, as a number, or as
  /// the name of a variable in one of the shells.
  static let evaluating: Set<String> = [
    "fi", "done", "esac", "}", "in", "case", "[[", "]]", "repeat", "foreach", "end", "coproc",
    "nocorrect", "noglob", "always", "-", ".", "alarm", "alias", "autoload", "bg", "bind",
    "bindkey",
    "break", "builtin", "bye", "caller", "cap", "clone", "comparguments", "compcall", "compctl",
    "compdescribe", "compfiles", "compgen", "compgroups", "complete", "compopt", "compquote",
    "comptags", "comptry", "compvalues", "compound", "bool", "redirect", "stop", "continue", "dirs",
    "disable", "disown", "echotc",
    "echoti",
    "emulate", "enable", "enum", "eval", "exit", "fc", "fg", "float", "functions",
    "getcap", "getln", "getopts", "global", "hash", "hist", "history", "integer", "jobs", "kill",
    "let", "limit", "log", "logout", "mapfile", "nameref", "newgrp", "popd", "print", "private",
    "pushd", "pushln", "r", "read", "readarray", "rehash", "rename", "return", "sched", "set",
    "setcap", "setopt", "shift", "shopt", "source", "suspend", "sysopen", "sysread",
    "sysseek", "syswrite", "times", "trap", "ttyctl", "ulimit", "umask", "unalias", "unfunction",
    "unhash", "unlimit", "unset", "unsetopt", "vared", "wait", "whence", "where", "zcompile",
    "zformat", "zftp", "zle", "zmodload", "zparseopts", "zprof", "zpty", "zregexparse", "zselect",
    "zsocket", "zstat", "zstyle", "ztcp",
  ]

  /// Built-ins that may change the meaning of the rest of the text.
  static let changingSyntax: Set<String> = [
    "alias", "unalias", "setopt", "unsetopt", "emulate", "shopt",
  ]

  /// Words that may make a text evaluate variables, or make numbers of them, whose values are
  /// evaluated.
  static let evaluatingWords = [
    "declare", "typeset", "integer", "float", "private", "nameref", "local -", "local +",
    "export -", "export +", "readonly -", "readonly +", "eval", "let", "((", "$[", "-eq", "-ne",
    "-lt", "-le", "-gt", "-ge",
  ]

  /// Variables whose values a shell evaluates, as code or as numbers.
  static let evaluatedVariables: Set<String> = [
    "BASHPID", "BASH_ENV", "BAUD", "COLUMNS", "COMP_CWORD", "CURSOR", "DIRSTACKSIZE", "EGID", "ENV",
    "EPOCHREALTIME", "EPOCHSECONDS", "ERRNO", "EUID", "FCEDIT", "FPATH", "FUNCNEST", "GID",
    "HISTCMD", "HISTSIZE", "IFS", "KEYTIMEOUT", "KSHEGID", "KSHGID", "KSHUID", "LINENO", "LINES",
    "LISTMAX", "LOGCHECK", "MAILCHECK", "OPTIND", "PGRP", "PPID", "PROMPT", "PROMPT2", "PROMPT3",
    "PROMPT4", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS3", "PS4", "RANDOM", "READNULLCMD",
    "NULLCMD", "REPORTMEMORY", "REPORTTIME", "RPROMPT", "RPROMPT2", "RPS1", "RPS2", "SAVEHIST",
    "SECONDS", "SHELLOPTS", "SHLVL",
    "SPROMPT", "SRANDOM", "TMOUT", "TTYIDLE", "UID", "USERNAME", "USER_ID", "ZDOTDIR",
    "ZLE_RPROMPT_INDENT",
  ]
}
