// The rules with alter and parallel, and where to ask which would help.

import { el, table } from "./dom.js";
import { number, text, words } from "./format.js";

const OUTCOMES = ["steered", "advised", "not_covered", "in_transaction"];
const ASK = "understudy report steering -c FILE";

/** Returns where to ask what held up the standbys. */
export function advice() {
  return [
    el("h3", {}, "What held up the standbys"),
    el("p", { class: "lead" }, "This command reads the binary log, probes the standbys, and prints the rules that would help; FILE is this proxy's configuration."),
    el("div", { class: "paste" }, el("code", {}, ASK), el("button", { type: "button", "data-copy": ASK, "aria-label": "Copy " + ASK }, "Copy"))
  ];
}

/** Returns the rules with alter and parallel, and what became of their statements. */
export function leverRules(steering) {
  return table("Rules with alter and parallel", [
    ["rule", row => text(row.name)], ["action", row => text(row.action)],
    ...OUTCOMES.map(outcome => [outcome === "advised" ? "would be steered" : words(outcome), row => number(row[outcome]), "number"])
  ], steering.rules, "none");
}

/** Copies the text of a button, also where the page has no secure origin. Returns whether it was copied. */
export async function copy(button) {
  const copied = button.getAttribute("data-copy");
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(copied);
      return true;
    }
  } catch (error) {
    // Not allowed: the other way may be.
  }
  const area = el("textarea", { class: "unseen", "aria-hidden": "true" });
  area.value = copied;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  button.focus();
  return done;
}
