/**
 * The lines in which two texts differ, with their neighbours, as `takt plan` prints them.
 */

const DIFF_CONTEXT = 2;
/** Texts with more pairs of lines are shown as removed and added whole. */
const DIFF_PAIRS = 4e6;

/** All lines of both texts, each with its sign: "-", "+", or " " for what both have. */
function diffLines(from, to) {
  const [before, after] = [splitLines(from), splitLines(to)];
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const same = (lines) => lines.map((text) => ({ sign: " ", text }));
  return [
    ...same(after.slice(0, start)),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(after.slice(after.length - end)),
  ];
}

/** By the longest lines that both have in common, in order. */
function diffMiddle(before, after) {
  const [rows, columns] = [before.length, after.length];
  const shared = rows * columns > DIFF_PAIRS ? null : commonLengths(before, after);
  const lines = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    const isSame = shared && row < rows && column < columns && before[row] === after[column];
    const isRemoved = row < rows && (column === columns || !shared || shared[row + 1][column] >= shared[row][column + 1]);
    if (isSame) lines.push({ sign: " ", text: after[column] });
    else lines.push(isRemoved ? { sign: "-", text: before[row] } : { sign: "+", text: after[column] });
    if (isSame || isRemoved) row += 1;
    if (isSame || !isRemoved) column += 1;
  }
  return lines;
}

/** How many lines the rests of both texts have in common, from each pair of places on. */
function commonLengths(before, after) {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      lengths[row][column] = before[row] === after[column]
        ? lengths[row + 1][column + 1] + 1 : Math.max(lengths[row + 1][column], lengths[row][column + 1]);
    }
  }
  return lengths;
}

/** The lines of a text; its last line end does not start another. */
function splitLines(text) {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** The difference as a block of lines; what is equal and far from a change is an ellipsis. */
function drawLineDiff(from, to) {
  const lines = diffLines(from, to);
  const isNear = (place) =>
    lines.slice(Math.max(place - DIFF_CONTEXT, 0), place + DIFF_CONTEXT + 1).some(({ sign }) => sign !== " ");
  const nodes = [];
  let isCut = false;
  for (const [place, { sign, text }] of lines.entries()) {
    const isShown = isNear(place);
    if (isShown) nodes.push(element(DIFF_TAGS[sign], { "data-sign": sign }, `${sign} ${text}\n`));
    else if (!isCut) nodes.push(element("span", { class: "muted" }, "…\n"));
    isCut = !isShown;
  }
  return element("pre", { class: "line-diff", "data-testid": "line-diff", tabindex: "0", "aria-label": "Lines that differ" }, ...nodes);
}

const DIFF_TAGS = table({ "-": "del", "+": "ins", " ": "span" });
