/**
 * Colours that programs print for terminals, as classes of the page. Output is hostile: a sequence only
 * ever chooses among the names that stand here, and all else of it is left out.
 */

/**
 * Sequences for terminals, of all forms of ECMA-48; a string without its end hides nothing. The first group
 * has the parameters of a control sequence, the second its last letter.
 */
const TERMINAL_SEQUENCES = new RegExp(
  [
    "(?:\\u001b\\[|\\u009b)([0-?]*)[ -/]*([@-~])",
    "(?:\\u001b\\]|\\u009d)[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)",
    "(?:\\u001b[PX^_]|[\\u0090\\u0098\\u009e\\u009f])(?:[^\\u001b\\u009c]|\\u001b(?!\\\\))*(?:\\u001b\\\\|\\u009c)",
    "\\u001b[ -/]+[0-~]",
    "\\u001b[0-~]",
    "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]",
  ].join("|"),
  "g");

const ANSI_COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

const ANSI_FLAGS = table({ 1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "inverse", 9: "strike" });

/** The style that sequences have switched on: it goes on from line to line. */
class TerminalStyle {
  constructor() {
    this.reset();
  }

  reset() {
    this.flags = new Set();
    this.colour = null;
    this.ground = null;
  }

  /** Class names for what comes now; empty for plain text. */
  get classes() {
    const names = [...this.flags];
    if (this.colour) names.push(`fg-${this.colour}`);
    if (this.ground) names.push(`bg-${this.ground}`);
    return names.join(" ");
  }

  /** The sequence that makes any style this one. */
  get sequence() {
    const codes = Object.keys(ANSI_FLAGS).filter((code) => this.flags.has(ANSI_FLAGS[code]));
    if (this.colour) codes.push(30 + ANSI_COLOURS.indexOf(this.colour));
    if (this.ground) codes.push(40 + ANSI_COLOURS.indexOf(this.ground));
    return `\u001b[${[0, ...codes].join(";")}m`;
  }

  /** Takes the parameters of a sequence for colours. */
  apply(parameters) {
    const codes = parameters === "" ? [0] : parameters.split(/[;:]/).map(Number);
    for (let place = 0; place < codes.length; place += 1) {
      const code = codes[place];
      if (code === 38 || code === 48) {
        const [colour, used] = extendedColour(codes.slice(place + 1));
        if (code === 38) this.colour = colour;
        else this.ground = colour;
        place += used;
      } else {
        this.one(code);
      }
    }
  }

  one(code) {
    const flags = ANSI_FLAGS;
    if (code === 0) this.reset();
    else if (flags[code]) this.flags.add(flags[code]);
    else if (code === 22) ["bold", "dim"].forEach((flag) => this.flags.delete(flag));
    else if (flags[code - 20]) this.flags.delete(flags[code - 20]);
    else if (code === 39) this.colour = null;
    else if (code === 49) this.ground = null;
    else if (code >= 30 && code < 38) this.colour = ANSI_COLOURS[code - 30];
    else if (code >= 40 && code < 48) this.ground = ANSI_COLOURS[code - 40];
    else if (code >= 90 && code < 98) this.colour = ANSI_COLOURS[code - 90];
    else if (code >= 100 && code < 108) this.ground = ANSI_COLOURS[code - 100];
  }
}

/** The nearest of the eight colours, so that it can be read on the page, and how many codes say it. */
function extendedColour([kind, ...codes]) {
  if (kind === 2) return [nearestColour(...codes.slice(0, 3)), 4];
  if (kind !== 5) return [null, 1];
  const [code] = codes;
  if (!(code < 256)) return [null, 2];
  if (code < 16) return [ANSI_COLOURS[code % 8], 2];
  if (code >= 232) return [code < 244 ? "black" : "white", 2];
  const cube = code - 16;
  return [nearestColour(Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51), 2];
}

function nearestColour(red = 0, green = 0, blue = 0) {
  const most = Math.max(red, green, blue);
  if (most - Math.min(red, green, blue) < 40) return most < 128 ? "black" : "white";
  const bit = (value) => (value > most / 2 ? 1 : 0);
  return ANSI_COLOURS[bit(red) + 2 * bit(green) + 4 * bit(blue)] ?? null;
}

/** A line as text and spans; `style` is what was switched on before, and learns what the line changes. */
function drawTerminalLine(line, style) {
  const nodes = [];
  const add = (text) => {
    if (text === "") return;
    const { classes } = style;
    nodes.push(classes ? element("span", { class: classes }, text) : document.createTextNode(text));
  };
  let start = 0;
  for (const found of line.matchAll(TERMINAL_SEQUENCES)) {
    add(line.slice(start, found.index));
    if (found[2] === "m" && !/[<-?]/.test(found[1])) style.apply(found[1]);
    start = found.index + found[0].length;
  }
  add(line.slice(start));
  return nodes;
}

/** A sequence whose end may still come. */
const OPEN_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*|[ -/]*|[\]PX^_][^\u0007\u001b]{0,200})$/;

const GOING_BACK = /[\r\b]|(?:\u001b\[|\u009b)\d*[DG]/;

/** No sequence moves further right. */
const TERMINAL_COLUMNS = 8192;

/** A line that a program writes over, as a terminal shows it so far; what follows may continue it. */
function terminalState(line) {
  if (!GOING_BACK.test(line)) return line;
  const state = new TerminalState();
  const open = line.search(OPEN_SEQUENCE);
  const whole = open < 0 ? line : line.slice(0, open);
  let start = 0;
  for (const found of whole.matchAll(TERMINAL_SEQUENCES)) {
    state.write(whole.slice(start, found.index));
    state.control(found);
    start = found.index + found[0].length;
  }
  state.write(whole.slice(start));
  return state.text + line.slice(whole.length);
}

class TerminalState {
  constructor() {
    this.style = new TerminalStyle();
    this.sequence = "";
    this.cells = [];
    this.column = 0;
  }

  write(text) {
    for (const character of text) {
      if (this.column > 0 && /[\p{Mn}\p{Me}\u200d]/u.test(character)) {
        const before = this.cells[this.column - 1];
        if (before) before.text += character;
        continue;
      }
      this.pad();
      this.cells[this.column] = { text: character, sequence: this.sequence };
      this.column += 1;
    }
  }

  pad() {
    while (this.cells.length < this.column) this.cells.push({ text: " ", sequence: "" });
  }

  control([text, parameters, letter]) {
    const number = parseInt(parameters, 10);
    if (text === "\r") this.column = 0;
    else if (text === "\b") this.move(this.column - 1);
    else if (letter === "K" || letter === "J") this.erase(number || 0);
    else if (letter === "C") this.move(this.column + (number || 1));
    else if (letter === "D") this.move(this.column - (number || 1));
    else if (letter === "G") this.move((number || 1) - 1);
    else if (letter === "m" && !/[<-?]/.test(parameters)) {
      this.style.apply(parameters);
      this.sequence = this.style.sequence;
    }
  }

  move(column) {
    this.column = Math.min(Math.max(0, column), Math.max(TERMINAL_COLUMNS, this.cells.length));
  }

  erase(part) {
    if (part === 0) this.cells.length = Math.min(this.cells.length, this.column);
    else if (part === 2) this.cells = [];
    else if (part === 1) {
      for (let place = 0; place <= this.column && place < this.cells.length; place += 1) {
        this.cells[place] = { text: " ", sequence: "" };
      }
    }
  }

  get text() {
    let [text, shown] = ["", ""];
    const change = (sequence) => {
      const wanted = sequence || (shown && "\u001b[0m");
      if (wanted !== shown) text += wanted;
      shown = wanted;
    };
    for (const cell of this.cells) {
      change(cell.sequence);
      text += cell.text;
    }
    change(this.sequence);
    if (this.column === this.cells.length) return text;
    return `${text}\r${this.column > 0 ? `\u001b[${this.column}C` : ""}`;
  }
}

/** The start of a text, without half a character at its end. */
function cutText(text, length) {
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? length - 1 : length);
}
