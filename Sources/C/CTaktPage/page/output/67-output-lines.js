/**
 * The pieces of an output as takt sends them, put together to lines: each with its time, its stream and
 * its attempt. What several streams print at once does not end up in one line.
 */

class OutputLines {
  /** @param onLine called with { text, at, stream, attempt }, or { dropped } for what is missing */
  constructor(onLine) {
    this.onLine = onLine;
    this.rest = "";
    this.open = new Map();
  }

  /** Takes a part of the answer: JSON, a line for each piece. */
  push(text) {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop();
    for (const line of lines) if (line) this.piece(JSON.parse(line));
  }

  piece({ text, at, stream, attempt, dropped }) {
    if (dropped !== undefined) {
      this.finish();
      this.onLine({ dropped, attempt });
      return;
    }
    const key = `${attempt} ${stream}`;
    const open = this.open.get(key);
    const lines = text.split("\n");
    for (const [place, line] of lines.entries()) {
      const whole = place === 0 && open ? { ...open, text: open.text + line } : { text: line, at, stream, attempt };
      whole.text = terminalState(whole.text);
      if (place < lines.length - 1) this.onLine(whole);
      else if (whole.text === "") this.open.delete(key);
      // What has no end yet waits for it; very long ones are cut anyway.
      else this.open.set(key, { ...whole, text: cutText(whole.text, 2 * OUTPUT_LINE_LENGTH) });
    }
  }

  /** Nothing follows: lines without an end are lines too. */
  finish() {
    for (const line of this.open.values()) this.onLine(line);
    this.open.clear();
  }
}
