/**
 * The token: it comes in the address behind `#`, leaves it at once, and stays for as long as the tab.
 */

const session = {
  key: "takt.token",
  prefix: "#token=",
  token: null,
  /** Called when there is no token, or takt has refused it; with what to tell. */
  onMissing: () => {},

  /** Whether the address has a token. */
  isGiven() {
    return location.hash.startsWith(this.prefix) && location.hash !== this.prefix;
  },

  /** Takes the token from the address, or from before. */
  begin() {
    if (this.isGiven()) {
      this.keep(decodeText(location.hash.slice(this.prefix.length)));
      history.replaceState(null, "", `${location.pathname}${location.search}#/`);
    } else {
      this.token = sessionStorage.getItem(this.key);
    }
    return this.token !== null;
  },

  keep(token) {
    this.token = token;
    sessionStorage.setItem(this.key, token);
  },

  /** takt has refused the token. */
  refused() {
    this.token = null;
    sessionStorage.removeItem(this.key);
    this.onMissing("This token is not valid.");
  },
};
