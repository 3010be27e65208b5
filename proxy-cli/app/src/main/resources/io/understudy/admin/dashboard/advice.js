// What held up the standbys, and the rules that would help.

import { el, table } from "./dom.js";
import { duration, known, number, text, words } from "./format.js";

const OUTCOMES = ["steered", "advised", "not_covered", "in_transaction"];

/** Returns the advice of /api/steering: its findings as rows, or why there are none. */
export function advice(steering) {
  const view = steering?.advice;
  if (!view) return [];
  const findings = view.findings || [];
  return [
    el("h3", {}, "What held up the standbys"),
    findings.length ? el("p", { class: "lead" }, read(view) + " The costliest first. A rule goes to plugins.gtid-domain.rules, with mode: tag; simulated times are those of a model without locks and disk.") : null,
    findings.length ? list(view, findings) : el("p", { class: "empty" }, nothing(view)),
    gaps(view),
    settings(view)
  ].filter(Boolean);
}

const read = view => number(view.transactions) + " transactions of the last ten minutes were read.";

function nothing(view) {
  if (view.problem) return "Nothing can be said, because the binary log is not read: " + view.problem + ".";
  if (!view.transactions) return "Nobody has written in the last ten minutes, so nothing can have held up a standby.";
  const standbys = view.standbys || [];
  const all = !view.assumed && standbys.every(standby => !standby.problem && !standby.delaySeconds);
  return read(view) + (all ? " None held up a standby." : " Nothing was found, but not all is known: see below.");
}

function list(view, findings) {
  const everywhere = (view.standbys || []).map(standby => standby.name);
  return table("Findings", [
    ["what", row => text(words(row.kind)).replaceAll("-", " ") + ": " + text(row.subject)],
    ["lost", row => duration(row.lostSeconds), "number"],
    ["known by", row => row.measured ? "measured" : "simulated", "word"],
    ["standby", row => text(row.standbys || everywhere), "word"],
    ["transactions", row => el("div", {}, number(row.transactions), row.worst ? el("div", { class: "note" }, "worst: " + row.worst) : null), "word"],
    ["why", row => text(row.why)],
    ["what would help", row => el("div", { class: "remedies" }, row.actions?.length ? row.actions.map(action => remedy(action)) : "nothing that the proxy knows")]
  ], findings);
}

function remedy(action) {
  const code = action.rule || action.statement;
  return el("div", { class: "remedy" },
    el("div", {}, text(action.action) + (known(action.savesSeconds) ? ": saves " + duration(action.savesSeconds) + " (simulated)" : "")),
    code ? el("div", { class: "paste" }, el("code", {}, code), el("button", { type: "button", "data-copy": code, "aria-label": "Copy " + (action.rule ? "the rule " : "the statement ") + code }, "Copy")) : null,
    action.sameRuleAs ? el("div", {}, "The same rule as of row " + number(action.sameRuleAs) + ".") : null,
    action.change ? el("div", {}, action.change) : null,
    action.note ? el("div", { class: "note" }, action.note) : null);
}

function gaps(view) {
  const unknown = view.notKnown || [];
  return unknown.length ? el("p", { class: "empty" }, el("strong", {}, "Not known: "), unknown.join("; ") + ".") : null;
}

function settings(view) {
  return table("Standbys as they apply", [
    ["standby", row => row.name],
    ["workers", row => row.problem ? "unknown: " + row.problem : number(row.slaveParallelThreads)],
    ["mode", row => text(row.slaveParallelMode) + (row.parallel === false ? " (one after the other)" : "")],
    ["repeated transactions", row => number(row.retries), "number"],
    ["late by up to", row => row.delaySeconds ? duration(row.delaySeconds) + " on purpose" : duration(row.lateSeconds), "number"]
  ], view.standbys, view.assumed ? "none was asked, so their settings are assumed" : "none is configured");
}

/** Returns the rules with alter and parallel, and what became of their statements. */
export function leverRules(steering) {
  return table("Rules with alter and parallel", [
    ["rule", row => text(row.name)], ["action", row => text(row.action)],
    ...OUTCOMES.map(outcome => [outcome === "advised" ? "would be steered" : words(outcome), row => number(row[outcome]), "number"])
  ], steering.rules, "none; the findings above have rules to paste");
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
