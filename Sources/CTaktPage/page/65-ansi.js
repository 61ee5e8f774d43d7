/**
 * Colours that programs print for terminals, as classes of the page. Output is hostile: a sequence only
 * ever chooses among the names that stand here, and all else of it is left out.
 */

/** Sequences for terminals; the first group has the parameters of those for colours. */
const TERMINAL_SEQUENCES =
  // What comes after ESC: CSI with its parameters, OSC up to its end, two-character ones; then other controls.
  /\u001b(?:\[([0-9;:]*)m|\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

const ANSI_COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

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
    const flags = table({ 1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "inverse", 9: "strike" });
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
    if (found[1] !== undefined) style.apply(found[1]);
    start = found.index + found[0].length;
  }
  add(line.slice(start));
  return nodes;
}
