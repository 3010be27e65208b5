// Starts the page: routes, the live figures, the token.

import { copy } from "./advice.js";
import { el, mount, update } from "./dom.js";
import { BADGES, headline, overview } from "./overview.js";
import { PAGES } from "./pages.js";
import { askReadiness } from "./readiness.js";
import { connect, heardAt, listen, state, token } from "./source.js";

const main = document.getElementById("main");
const connection = document.getElementById("connection");
const announcement = document.getElementById("announcement");
const REFRESH_MILLIS = 5000;

let page = null;
let timer = 0;
let levels = {};

const route = () => location.hash.replace(/^#\/?/, "");

function show() {
  const name = route();
  const found = name === "" ? { title: "Overview", render: overview } : PAGES[name];
  const next = found || { title: "No such page", render: () => [el("p", {}, "There is no page " + name + ". "), el("a", { href: "#/" }, "To the overview")] };
  const moved = next !== page && page !== null;
  if (next.title !== page?.title) {
    main.replaceChildren();
    clearInterval(timer);
    next.load?.().finally(draw);
    timer = next.load ? setInterval(() => document.hidden || next.load().finally(draw), REFRESH_MILLIS) : 0;
  }
  page = next;
  navigation();
  draw();
  if (moved) {
    window.scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
}

function navigation() {
  const entries = [["", { title: "Overview" }], ...Object.entries(PAGES)];
  update(document.getElementById("pages"), entries.map(([name, { title }]) =>
    el("li", {}, el("a", { href: "#/" + name, "aria-current": name === route() ? "page" : null }, title))));
}

function draw() {
  // Until then it is not known which plugins there are.
  if (!state.now && !page.load) {
    update(main, [el("p", {}, "Waiting for the first figures…")]);
    return;
  }
  update(main, page.render());
  mount(main);
}

function status(how) {
  const at = heardAt() ? new Date(heardAt()).toLocaleTimeString() : "never";
  const build = state.build?.version ? "version " + state.build.version + " · " : "";
  connection.textContent = how === "lost" ? "✕ The proxy does not respond; these figures are from " + at
    : build + (how === "live" ? "live" : "asked every 5 s (too many viewers for live figures)") + " · " + at;
  connection.className = how === "lost" ? "bad" : "";
}

/** Tells screen readers, and the tab's title, when an answer has changed. */
function announce() {
  const now = headline();
  const worse = now.filter(answer => levels[answer.id] && levels[answer.id] !== answer.level);
  if (worse.length) announcement.textContent = worse.map(answer => answer.text).join(" ");
  levels = Object.fromEntries(now.map(answer => [answer.id, answer.level]));
  const urgent = ["bad", "warn"].find(level => now.some(answer => answer.level === level));
  document.title = (urgent ? BADGES[urgent][0] + " " : "") + (page?.title === "Overview" ? "" : page?.title + " · ") + "Understudy";
}

function tokenForm() {
  const input = document.getElementById("token");
  const said = document.getElementById("token-state");
  const tell = () => { said.textContent = token.get() ? "A token is in use." : "No token."; };
  document.getElementById("token-form").addEventListener("submit", event => {
    event.preventDefault();
    token.set(input.value);
    input.value = "";
    tell();
    page?.load?.().finally(draw);
  });
  document.getElementById("forget").addEventListener("click", () => {
    token.set("");
    tell();
    page?.load?.().finally(draw);
  });
  tell();
}

main.addEventListener("click", async event => {
  const button = event.target.closest?.("[data-copy]");
  if (button) {
    const done = await copy(button);
    button.textContent = done ? "Copied" : "Select it";
    announcement.textContent = done ? "Copied." : "The browser does not allow to copy; select the text.";
  }
  const link = event.target.closest?.("[data-go]");
  if (link) {
    event.preventDefault();
    const target = document.getElementById(link.getAttribute("data-go"));
    target.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    target.focus({ preventScroll: true });
  }
});

window.addEventListener("hashchange", show);
listen(how => {
  status(how);
  if (how !== "lost") {
    askReadiness();
    draw();
    announce();
  }
});
tokenForm();
show();
connect();
