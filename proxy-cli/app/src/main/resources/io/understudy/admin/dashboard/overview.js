// The first page: four questions, their answers, and the figures behind them.

import { answers } from "./answers.js";
import { chart, currentRange, RANGES, setRange } from "./charts.js";
import { el, keep, raw } from "./dom.js";
import { state } from "./source.js";

export const BADGES = { ok: ["✓", "OK"], warn: ["!", "Attention"], bad: ["✕", "Problem"], unknown: ["?", "Unknown"], info: ["i", "For information"] };
const TITLES = { clients: "Clients", standby: "Standby", lost: "Losses", commits: "Commits" };
const MORE = { clients: "sessions", standby: "mirror", lost: "events", commits: "commits" };
const VIEWS = { clients: ["/health/ready", () => state.ready], standby: ["/api/standbys", () => state.standbys], lost: ["/api/mirror", () => state.mirror], commits: ["/api/commits", () => state.commits] };

/** Returns a level as a symbol with its word, so that it can be read without colour. */
export function badge(level) {
  const [symbol, word] = BADGES[level];
  return el("span", { class: "badge " + level }, el("span", { "aria-hidden": "true" }, symbol), " " + word);
}

/** Returns figures as a list: label, value, what it means, and what to do if something is to be done. */
export function figureList(figures) {
  return el("dl", { class: "figures" }, figures.map(figure => {
    const off = figure.level && !["ok", "info"].includes(figure.level);
    return el("div", { class: figure.level || null },
      el("dt", {}, figure.label, off ? badge(figure.level) : null),
      el("dd", { class: "value" }, figure.value),
      el("dd", { class: "meaning" }, figure.meaning || "", figure.doc && off ? el("span", { class: "doc" }, " docs/" + figure.doc) : null),
      figure.todo ? el("dd", { class: "todo" }, "→ " + figure.todo) : null);
  }));
}

/** Returns the choice of the charts' span. */
export function rangeChoice() {
  return keep("range", () => {
    const select = el("select", { id: "range" }, Object.entries(RANGES).map(([key, label]) => el("option", { value: key, selected: key === currentRange() }, "last " + label)));
    select.addEventListener("change", () => setRange(select.value));
    return el("p", { class: "range" }, el("label", { for: "range" }, "Charts: "), select);
  });
}

export function charts(page, specs) {
  return el("div", { class: "charts" }, specs.map((spec, index) => keep("chart " + page + " " + index, () => chart(spec))));
}

export function overview() {
  const all = answers(state);
  return [
    el("h2", { class: "unseen" }, "Overview"),
    el("ol", { class: "answers" }, all.map(answer => el("li", { class: answer.level },
      el("h3", {}, el("a", { href: "#/", "data-go": answer.id }, answer.question)),
      badge(answer.level),
      el("p", {}, answer.answer)))),
    rangeChoice(),
    el("div", { class: "sections" }, all.map(section))
  ];
}

function section(answer) {
  const [path, value] = VIEWS[answer.id];
  return el("section", { id: answer.id, tabindex: "-1", "aria-labelledby": answer.id + "-title" },
    el("h3", { id: answer.id + "-title" }, TITLES[answer.id], el("a", { class: "more", href: "#/" + MORE[answer.id] }, MORE[answer.id] + " ›")),
    answer.note ? el("p", { class: "empty" }, answer.note) : null,
    answer.groups ? answer.groups.map(group => [el("h4", {}, group.name, " ", badge(group.level)), figureList(group.figures)]).flat()
      : answer.figures.length ? figureList(answer.figures) : null,
    answer.charts?.length ? charts(answer.id, answer.charts) : null,
    el("p", { class: "doc" }, "Explained in docs/" + answer.doc),
    raw(path, value));
}

/** Returns the most urgent level of all answers, and a sentence that says it. */
export function headline() {
  const all = answers(state);
  return all.map(answer => ({ id: answer.id, level: answer.level, text: answer.question + " " + answer.answer }));
}
