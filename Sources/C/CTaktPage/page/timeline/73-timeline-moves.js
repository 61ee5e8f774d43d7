/**
 * How somebody moves through the timeline with a pointer: dragging goes on and back, so does a wheel to
 * the side; a wheel over the axis, or with Ctrl, zooms.
 */

/** So far a pointer goes before it drags, in pixels. */
const DRAG_LEAST = 5;
const WHEEL_ZOOM = 1.0016;
/** What a line of a wheel is, in pixels. */
const WHEEL_LINE = 16;

class TimelineMoves {
  /** @param moves pan(pixels) and zoom(factor, clientX) */
  constructor(axis, picture, moves) {
    this.moves = moves;
    this.drag = null;
    this.hasDragged = false;
    for (const holder of [axis, picture]) {
      holder.addEventListener("wheel", (event) => this.turned(event, holder === axis), { passive: false });
      holder.addEventListener("pointerdown", (event) => this.pressed(event));
      holder.addEventListener("pointermove", (event) => this.moved(event, holder));
      for (const kind of ["pointerup", "pointercancel"]) holder.addEventListener(kind, () => this.released());
      // What ends a drag is no click.
      holder.addEventListener("click", (event) => this.hasDragged && event.stopPropagation(), { capture: true });
    }
  }

  turned(event, isAxis) {
    const pixels = event.deltaMode === 1 ? WHEEL_LINE : 1;
    const isZoom = event.ctrlKey || event.metaKey || (isAxis && !event.shiftKey && Math.abs(event.deltaY) > Math.abs(event.deltaX));
    const aside = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (isZoom) this.moves.zoom(WHEEL_ZOOM ** (event.deltaY * pixels), event.clientX);
    else if (Math.abs(aside) > Math.abs(event.shiftKey ? 0 : event.deltaY)) this.moves.pan(aside * pixels);
    else return;
    event.preventDefault();
  }

  pressed(event) {
    this.hasDragged = false;
    if (event.button === 0) this.drag = { x: event.clientX, isFar: false };
  }

  moved(event, holder) {
    if (!this.drag) return;
    const distance = event.clientX - this.drag.x;
    if (!this.drag.isFar && Math.abs(distance) < DRAG_LEAST) return;
    if (!this.drag.isFar) holder.setPointerCapture(event.pointerId);
    this.drag = { x: event.clientX, isFar: true };
    this.hasDragged = true;
    this.moves.pan(-distance);
  }

  released() {
    this.drag = null;
  }
}
