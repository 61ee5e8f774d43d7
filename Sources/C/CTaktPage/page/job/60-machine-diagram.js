/**
 * The timer machine of a job as a picture: four states, the events between them, the state it is in lit
 * and its last step marked.
 */

const MACHINE_STATES = table({
  idle: { x: 52, y: 150 },
  running: { x: 208, y: 150 },
  suspended: { x: 362, y: 66 },
  cancelled: { x: 362, y: 234 },
});

/** Each arrow: the step it stands for, its path, and where its label is. */
const MACHINE_ARROWS = [
  {
    from: "idle", to: "running", events: ["activate"],
    path: "M96 150H162", label: [129, 142, "middle"],
  },
  {
    from: "running", to: "running", events: ["fire", "fireNow"], text: "fire",
    path: "M172 132C150 88 198 82 190 131", label: [172, 90, "middle"],
  },
  {
    from: "running", to: "running", events: ["reschedule"],
    path: "M172 168C150 212 198 218 190 169", label: [168, 220, "middle"],
  },
  {
    from: "running", to: "suspended", events: ["suspend"],
    path: "M222 132C230 88 270 62 316 60", label: [250, 74, "end"],
  },
  {
    from: "suspended", to: "running", events: ["resume"],
    path: "M330 84C318 116 290 132 255 140", label: [320, 120, "start"],
  },
  {
    from: "running", to: "cancelled", events: ["cancel", "fire", "release"], text: "cancel, last fire",
    path: "M222 168C230 212 270 238 316 240", label: [262, 250, "end"],
  },
  {
    from: "cancelled", to: "running", events: ["activate"],
    path: "M330 216C318 184 290 168 255 160", label: [318, 186, "start"],
  },
  {
    from: "suspended", to: "cancelled", events: ["cancel", "resume", "release"], text: "cancel",
    path: "M376 84V214", label: [382, 153, "start"],
  },
  {
    from: "suspended", to: "suspended", events: ["reschedule", "fireNow"], text: "reschedule",
    path: "M346 48C340 12 384 12 378 47", label: [362, 16, "middle"],
  },
];

class MachineDiagram {
  constructor() {
    this.states = new Map();
    this.arrows = [];
    this.node = shape("svg", { class: "machine", viewBox: "0 0 430 272", role: "img", "data-testid": "machine" });
    this.node.append(this.makeTips());
    for (const arrow of MACHINE_ARROWS) this.node.append(this.makeArrow(arrow));
    for (const [name, place] of Object.entries(MACHINE_STATES)) this.node.append(this.makeState(name, place));
  }

  makeTips() {
    const tip = (id) =>
      shape(
        "marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
        shape("path", { d: "M0 0L8 4L0 8z" }));
    return shape("defs", {}, tip("tip"), tip("tip-last"));
  }

  makeArrow(arrow) {
    const [x, y, anchor] = arrow.label;
    const node = shape(
      "g", { class: "arrow" },
      shape("path", { d: arrow.path }),
      shape("text", { x, y, "text-anchor": anchor }, arrow.text ?? arrow.events[0]));
    this.arrows.push({ ...arrow, node });
    return node;
  }

  makeState(name, { x, y }) {
    const node = shape(
      "g", { class: "node", "data-state": name },
      shape("rect", { x: x - 46, y: y - 18, width: 92, height: 36, rx: 18 }),
      shape("text", { x, y: y + 4.5, "text-anchor": "middle" }, name));
    this.states.set(name, node);
    return node;
  }

  /** Lights a state, and the arrow of the last step if there was one. */
  show(state, step) {
    for (const [name, node] of this.states) setAttribute(node, "aria-current", name === state ? "true" : null);
    const taken = step && this.arrows.find((arrow) =>
      arrow.from === step.from && arrow.to === step.to && arrow.events.includes(step.cause));
    for (const arrow of this.arrows) arrow.node.classList.toggle("last", arrow === taken);
    const last = step ? `; the last event was ${step.cause}` : "";
    setAttribute(this.node, "aria-label", `The timer machine is ${state}${last}`);
  }
}
