/**
 * Puts the parts together and begins.
 */

const RELOAD_SETTLES = 400;

class Page {
  constructor() {
    this.store = new JobStore();
    this.pump = new EventPump();
    this.statuses = new StatusStore();
    this.header = new Header(this.statuses);
    this.problems = new ProblemStrip(this.statuses, (filter) => {
      location.hash = "#/";
      this.overview.filtered(filter);
    });
    this.loader = new JobLoader(this.store, (count, total) => this.overview.showLoading(count, total));
    this.actions = new JobActions(this.store, this.loader);
    this.overview = new Overview(this.store, this.actions, (name) => {
      location.hash = jobAddress(name);
    });
    this.loader.visible = () => this.overview.table.visible();
    this.stream = new EventStream({
      onMessage: (data) => this.pump.push(data),
      onGap: () => this.pump.gap(),
      onState: (state) => this.connected(state),
      onSilence: (ms) => this.header.silent(ms),
    });
    this.router = new Router({
      overview: this.overview,
      job: new JobPage(this.store, this.actions, this.pump),
      timeline: new TimelinePage(),
      agenda: new AgendaPage(),
      heatmap: new HeatPage(this.store),
      cluster: new ClusterPage(this.statuses),
      plan: new PlanPage(this.statuses, (names) => this.reloaded(names)),
    });
    this.feed = new Feed(this.pump);
    this.planned = new Set();
    this.settled = new PacedTask(RELOAD_SETTLES, () => this.planSettled());
    this.listen();
  }

  listen() {
    const events = new JobEvents(this.store, (name) => this.loader.markStale(name));
    this.pump.onEvent((event) => {
      events.apply(event);
      if (event.event === "plan" && event.job) this.planned.add(event.job);
      if (event.event === "plan" || event.event === "reload") this.settled.request();
    });
    this.pump.onFlush(() => this.statuses.soon.request());
    this.statuses.onChange(({ phase }) => this.learn({ isStarting: phase === "starting" }));
    this.pump.onGap(() => this.loader.loadAllSoon());
    document.addEventListener("visibilitychange", () => this.statuses.soon.request());
    document.addEventListener("keydown", (event) => this.pressed(event));
    addEventListener("hashchange", () => session.isGiven() && session.begin() && this.connect());
    session.onMissing = (why) => this.signIn(why);
    byId("sign-in-again").addEventListener("click", () => this.signIn("Enter takt's token to use this page."));
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      (this.router.page?.section ?? byId("main")).focus();
    });
  }

  connected(state) {
    this.header.connected(state);
    if (state !== "connecting") this.learn({ isAway: state !== "live" });
  }

  learn(news) {
    if (this.overview.learn(news)) this.loader.loadAllSoon();
  }

  /** After a reload: the jobs that it names. */
  planSettled() {
    const names = [...this.planned];
    this.planned.clear();
    if (names.length > 0) quietly(this.loader.loadNamed(names));
    this.statuses.soon.request();
  }

  reloaded(names) {
    quietly(this.loader.loadNamed(names));
    this.statuses.soon.request();
  }

  async signIn(why) {
    this.stream.stop();
    this.router.isOpen = false;
    this.router.follow();
    this.header.connected("out");
    await askToken(why);
    if (session.isSignedIn && !this.router.isOpen) this.connect();
  }

  /** Begins to listen before it asks for the jobs, so that nothing falls between. */
  connect() {
    byId("sign-in").close();
    this.router.isOpen = true;
    this.stream.start();
    attempt(() => this.statuses.load());
    attempt(() => this.loader.loadAll());
    this.router.follow();
  }

  pressed(event) {
    const typing = event.target.closest("input, textarea, select, dialog");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const search = this.router.page.section.querySelector("input[type=search]");
    if (!search) return;
    event.preventDefault();
    search.focus();
    search.select();
  }

  async start() {
    clock.start();
    this.statuses.start();
    if (session.begin() || (await session.ask())) {
      if (!this.router.isOpen) this.connect();
    } else {
      this.signIn(session.refusal ?? "Enter takt's token to use this page.");
    }
  }
}

// Not in the task that has read the document: the browser may paint first.
setTimeout(() => new Page().start());
