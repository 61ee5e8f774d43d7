/**
 * How long runs took, as bars: the oldest on the left, failures in their own colour with a cross, an
 * axis with round figures.
 */

const CHART = { height: 110, left: 58, right: 6, top: 10, bottom: 20, barsAtLeast: 20 };
const CHART_RUNS = 60;

/** Round steps for an axis of durations, in milliseconds. */
const DURATION_STEPS = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND,
  MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY,
];

/**
 * @param runs the newest first
 * @param width of the chart in pixels
 * @param onSelect called with the number of a run that is clicked
 */
function drawDurations(runs, width, onSelect) {
  const shown = runs.filter((run) => tookOf(run) !== undefined).slice(0, CHART_RUNS).reverse();
  const longest = Math.max(...shown.map((run) => run.duration_ms), 0.1);
  const step = DURATION_STEPS.find((candidate) => longest / candidate <= 4) ?? longest / 4;
  const top = Math.ceil(longest / step) * step;
  const chart = shape("svg", {
    class: "chart", width, height: CHART.height, role: "img",
    "aria-label": `Durations of the last ${plural(shown.length, "run")}; longest ${formatDuration(longest)}`,
  });
  const yOf = (ms) => CHART.height - CHART.bottom - (ms / top) * (CHART.height - CHART.top - CHART.bottom);
  drawAxis(chart, width - CHART.right, step, top, yOf);
  const slot = (width - CHART.left - CHART.right) / Math.max(shown.length, CHART.barsAtLeast);
  shown.forEach((run, place) => {
    const bar = drawBar(run, width - CHART.right - (shown.length - place) * slot, slot, yOf);
    bar.addEventListener("click", () => onSelect(run.run));
    chart.append(bar);
  });
  return chart;
}

function drawAxis(chart, right, step, top, yOf) {
  for (let ms = 0; ms <= top + step / 2; ms += step) {
    const y = yOf(ms);
    chart.append(
      shape("line", { x1: CHART.left, x2: right, y1: y, y2: y }),
      shape("text", { x: CHART.left - 6, y: y + 3.5, "text-anchor": "end" }, axisLabel(ms)));
  }
  chart.append(
    shape("text", { x: CHART.left, y: CHART.height - 5 }, "older"),
    shape("text", { x: right, y: CHART.height - 5, "text-anchor": "end" }, "newer"));
}

function axisLabel(ms) {
  if (ms === 0) return "0";
  if (ms < SECOND) return `${+ms.toPrecision(3)} ms`;
  if (ms < MINUTE) return `${+(ms / SECOND).toPrecision(3)} s`;
  if (ms < HOUR) return `${+(ms / MINUTE).toPrecision(3)} min`;
  return ms < DAY ? `${+(ms / HOUR).toPrecision(3)} h` : `${+(ms / DAY).toPrecision(3)} d`;
}

function drawBar(run, x, slot, yOf) {
  const y = Math.min(yOf(run.duration_ms), yOf(0) - 1.5);
  const words = `run ${run.run}: ${OUTCOME_WORDS[run.outcome] ?? "in progress"}, ${formatDuration(run.duration_ms)}`;
  const width = Math.max(slot - 2, 1);
  const bar = shape(
    "g", { class: "bar", "data-outcome": run.outcome ?? "active" },
    shape("rect", { x, y, width, height: yOf(0) - y, rx: Math.min(width / 3, 1.5) }),
    shape("title", {}, withReason(words, describeEnd(run))));
  if (isFailure(run.outcome)) {
    const middle = x + width / 2;
    const size = Math.min(width / 2, 3);
    bar.append(shape("path", {
      d: `M${middle - size} ${y - 8}l${2 * size} ${2 * size}m0 ${-2 * size}l${-2 * size} ${2 * size}`,
    }));
  }
  return bar;
}
