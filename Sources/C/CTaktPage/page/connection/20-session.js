/**
 * The token: it comes in the address behind `#`, leaves it at once, and stays for as long as the tab. There
 * is none where the browser logs in by itself, or a proxy does.
 */

/**
 * The path where the page is, without a slash at its end: a proxy may have takt below a path of its own.
 * What is kept in the browser has it in its name, so that two daemons of one host do not share it.
 */
const PAGE_PATH = location.pathname.replace(/\/+$/, "");

const session = {
  key: `takt.token${PAGE_PATH}`,
  prefix: "#token=",
  token: null,
  /** Whether takt knows this browser without a token. Its own `Authorization` is then left alone. */
  isKnown: false,
  /** Called when there is no token, or takt has refused it; with what to tell. */
  onMissing: () => {},

  get isSignedIn() {
    return this.token !== null || this.isKnown;
  },

  /** Why takt refuses this browser, which it knows; null where it does not. */
  refusal: null,

  /** Finds out whether takt knows this browser without a token. */
  async ask() {
    try {
      await api.status({});
      // A token may have come in the address meanwhile.
      this.isKnown = this.token === null;
    } catch ({ problem }) {
      this.refusal = problem?.status === 403 ? problem.title : null;
    }
    return this.isSignedIn;
  },

  /** Whether the address has a token. */
  isGiven() {
    return location.hash.startsWith(this.prefix) && location.hash !== this.prefix;
  },

  /** Takes the token from the address, or from before. */
  begin() {
    if (this.isGiven()) {
      this.keep(decodeText(location.hash.slice(this.prefix.length)));
      history.replaceState(null, "", "#/");
    } else {
      this.token = sessionStorage.getItem(this.key);
    }
    return this.token !== null;
  },

  keep(token) {
    this.token = token;
    this.isKnown = false;
    sessionStorage.setItem(this.key, token);
  },

  /** takt has refused the token, or no longer knows the browser. */
  refused() {
    const why = this.isKnown ? "You are no longer logged in." : "This token is not valid.";
    this.token = null;
    this.isKnown = false;
    sessionStorage.removeItem(this.key);
    this.onMissing(why);
  },
};
