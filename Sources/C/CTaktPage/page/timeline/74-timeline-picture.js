/**
 * The picture of the timeline that somebody sees: it puts each new drawing in the place of the one
 * before, and tells what is pointed at, or gone to with the arrow keys.
 */

/** As near to a mark as this somebody means it, in pixels. */
const CLICK_REACH = 12;

class TimelinePicture {
  /**
   * @param axis holds the axis, beside the picture
   * @param describe called with a text about what is pointed at
   */
  constructor(holder, axis, describe) {
    this.holder = holder;
    this.axis = axis;
    this.describe = describe;
    this.drawing = null;
    this.next = null;
    this.cursor = null;
    holder.addEventListener("pointermove", (event) => this.pointed(event));
    holder.addEventListener("keydown", (event) => this.pressed(event));
    holder.addEventListener("focusin", (event) => this.focused(event));
    holder.addEventListener("click", (event) => this.clicked(event));
  }

  /** Shows a timeline, as wide as there is room. */
  async draw(timeline) {
    const next = new TimelineDrawing(timeline, this.holder.clientWidth);
    this.next = next;
    await next.finish(() => this.next === next);
    if (this.next !== next) return;
    const focused = this.holder.contains(document.activeElement) ? document.activeElement.dataset.job : null;
    this.drawing = next;
    this.holder.replaceChildren(next.svg);
    this.axis.replaceChildren(next.axis);
    if (focused) next.nodeOf(focused)?.focus({ preventScroll: true });
    if (this.cursor) next.moveCursor(this.cursor.job, this.cursor.at);
  }

  /** Which share of the time so many pixels are. */
  shareOf(pixels) {
    return this.drawing ? pixels / (this.drawing.right - this.drawing.left) : 0;
  }

  /** The instant below a place of the screen, within the picture. */
  instantAt(clientX) {
    if (!this.drawing) return undefined;
    const x = clientX - this.drawing.svg.getBoundingClientRect().left;
    return this.drawing.instantOf(Math.min(Math.max(x, this.drawing.left), this.drawing.right));
  }

  get drawnWidth() {
    return this.next?.width;
  }

  moveNow(now) {
    this.drawing?.moveNow(now);
  }

  /** Tells of what lies nearest to the pointer in its lane. */
  pointed(event) {
    const job = event.target.closest(".lane")?.dataset.job;
    if (!job) return;
    const instant = this.drawing.instantOf(event.clientX - this.drawing.svg.getBoundingClientRect().left);
    this.mark(job, this.drawing.itemsOf(job).reduce((best, item) => nearer(best, item, instant), undefined));
  }

  /** Opens the run that lies under the pointer; on the name, and where nothing is, the job. */
  clicked(event) {
    const lane = event.target.closest(".lane");
    if (!lane) return;
    const { job } = lane.dataset;
    const x = event.clientX - this.drawing.svg.getBoundingClientRect().left;
    const instant = this.drawing.instantOf(x);
    const bar = this.drawing.itemsOf(job).findLast(({ bar }) =>
      bar && Date.parse(bar.began) <= instant && instant <= (bar.ended ? Date.parse(bar.ended) : clock.now()));
    const nearest = bar ?? this.drawing.itemsOf(job).reduce((best, item) => nearer(best, item, instant), undefined);
    if (event.target.closest(".label") || !nearest) return this.openRun(job);
    if (Math.abs(this.drawing.xOf(nearest.at) - x) > CLICK_REACH && !bar) return lane.focus({ preventScroll: true });
    this.mark(job, nearest);
    if (nearest.run) this.openRun(job, nearest.run);
    else lane.focus({ preventScroll: true });
  }

  openRun(job, run) {
    location.hash = jobAddress(job, run);
  }

  focused(event) {
    const lane = event.target.closest(".lane");
    if (!lane) return;
    for (const other of this.holder.querySelectorAll(".lane")) {
      setAttribute(other, "tabindex", other === lane ? "0" : "-1");
    }
  }

  pressed(event) {
    const node = event.target.closest(".lane");
    if (!node || event.shiftKey) return;
    const { job } = node.dataset;
    const moves = table({
      ArrowDown: () => nextLane(node.nextElementSibling),
      ArrowUp: () => nextLane(node.previousElementSibling),
      ArrowRight: () => this.step(job, 1),
      ArrowLeft: () => this.step(job, -1),
      Enter: () => this.openRun(job, this.cursor?.job === job ? this.cursor.run : undefined),
    });
    if (!(event.key in moves)) return;
    event.preventDefault();
    moves[event.key]();
  }

  /** Goes to the next slot or run of a lane; at first to the one nearest to now. */
  step(job, direction) {
    const items = this.drawing.itemsOf(job);
    const here = this.cursor?.job === job ? this.cursor.at : undefined;
    if (here === undefined) {
      this.mark(job, items.reduce((best, item) => nearer(best, item, clock.now()), undefined));
    } else {
      const beyond = direction > 0 ? items.find((item) => item.at > here) : items.findLast((item) => item.at < here);
      this.mark(job, beyond ?? items.at(direction > 0 ? -1 : 0));
    }
  }

  mark(job, item) {
    this.cursor = item ? { job, at: item.at, run: item.run } : null;
    if (!item) return this.describe(`${job}: nothing in this time`);
    this.drawing.moveCursor(job, item.at);
    this.describe(describeItem(job, item, clock.now()));
  }
}

function nearer(best, item, instant) {
  return best && Math.abs(best.at - instant) <= Math.abs(item.at - instant) ? best : item;
}

function nextLane(node) {
  if (node?.classList.contains("lane")) node.focus();
}
