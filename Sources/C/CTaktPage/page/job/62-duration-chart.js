/**
 * How long runs took and what they used, as bars: the oldest on the left, failures in their own colour with a cross, an
 * axis with round figures.
 */

const CHART = { height: 110, left: 58, right: 6, top: 10, bottom: 20, barsAtLeast: 20 };
const CHART_RUNS = 60;

/** Round steps for an axis of durations, in milliseconds. */
const DURATION_STEPS = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND,
  MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY,
];

/** Round steps for an axis of sizes, in bytes. */
const SIZE_STEPS = [...Array(42).keys()].map((power) => 2 ** power);

/** What the charts show of a run; undefined where it has none of it. */
const MEASURES = [
  { title: "Durations", of: tookOf, format: formatDuration, axis: axisLabel, steps: DURATION_STEPS, least: 0.1 },
  { title: "CPU times", of: (run) => run.cpu_ms, format: formatDuration, axis: axisLabel, steps: DURATION_STEPS, least: 0.1 },
  { title: "Peak memory", of: (run) => run.memory_peak, format: formatSize, axis: formatSize, steps: SIZE_STEPS, least: 4096 },
];

/**
 * A chart for each measure that any of the runs has, beside one another where there is room.
 *
 * @param runs the newest first
 * @param width of all in pixels
 * @param onSelect called with the number of a run that is clicked
 */
function drawCharts(runs, width, onSelect) {
  const measures = MEASURES.filter(({ of }, place) => place === 0 || runs.some((run) => of(run) !== undefined));
  const columns = Math.min(measures.length, Math.max(Math.floor(width / 280), 1));
  return measures.map((measure) => drawChart(measure, runs, Math.floor(width / columns), onSelect));
}

function drawChart(measure, runs, width, onSelect) {
  const shown = runs.filter((run) => measure.of(run) !== undefined).slice(0, CHART_RUNS).reverse();
  const largest = Math.max(...shown.map(measure.of), measure.least);
  const step = measure.steps.find((candidate) => largest / candidate <= 4) ?? largest / 4;
  const top = Math.ceil(largest / step) * step;
  const chart = shape("svg", {
    class: "chart", width, height: CHART.height, role: "img",
    "aria-label": `${measure.title} of the last ${plural(shown.length, "run")}; largest ${measure.format(largest)}`,
  });
  const yOf = (value) => CHART.height - CHART.bottom - (value / top) * (CHART.height - CHART.top - CHART.bottom);
  drawAxis(chart, width - CHART.right, step, top, yOf, measure);
  const slot = (width - CHART.left - CHART.right) / Math.max(shown.length, CHART.barsAtLeast);
  shown.forEach((run, place) => {
    const bar = drawBar(run, width - CHART.right - (shown.length - place) * slot, slot, yOf, measure);
    bar.addEventListener("click", () => onSelect(run.run));
    chart.append(bar);
  });
  return chart;
}

function drawAxis(chart, right, step, top, yOf, measure) {
  for (let value = 0; value <= top + step / 2; value += step) {
    const y = yOf(value);
    chart.append(
      shape("line", { x1: CHART.left, x2: right, y1: y, y2: y }),
      shape("text", { x: CHART.left - 6, y: y + 3.5, "text-anchor": "end" }, value ? measure.axis(value) : "0"));
  }
  chart.append(
    shape("text", { x: CHART.left, y: CHART.height - 5 }, "older"),
    shape("text", { x: (CHART.left + right) / 2, y: CHART.height - 5, "text-anchor": "middle" }, measure.title),
    shape("text", { x: right, y: CHART.height - 5, "text-anchor": "end" }, "newer"));
}

function axisLabel(ms) {
  if (ms < SECOND) return `${+ms.toPrecision(3)} ms`;
  if (ms < MINUTE) return `${+(ms / SECOND).toPrecision(3)} s`;
  if (ms < HOUR) return `${+(ms / MINUTE).toPrecision(3)} min`;
  return ms < DAY ? `${+(ms / HOUR).toPrecision(3)} h` : `${+(ms / DAY).toPrecision(3)} d`;
}

function drawBar(run, x, slot, yOf, measure) {
  const y = Math.min(yOf(measure.of(run)), yOf(0) - 1.5);
  const words = `run ${run.run}: ${OUTCOME_WORDS[run.outcome] ?? "in progress"}, ${measure.format(measure.of(run))}`;
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
