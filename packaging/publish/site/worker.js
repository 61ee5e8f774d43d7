// Pages that are opened as files may start no workers: the search runs in a hidden frame instead.
if (location.protocol === 'file:') {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement('iframe');
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent('message', {data}));
      inside.importScripts = () => {};
      const script = inside.document.createElement('script');
      script.src = new URL(address, location);
      this.frame = frame;
      this.ready = new Promise((resolve) => { script.onload = () => resolve(inside); });
      inside.document.body.append(script);
    }

    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new MessageEvent('message', {data})));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
