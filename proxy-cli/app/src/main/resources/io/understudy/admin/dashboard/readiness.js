// The readiness gate's verdict on each standby: the same facts as of `understudy ready`, so that the two cannot differ.

import { ask, changed, state } from "./source.js";

const EVERY_MILLIS = 30000;
const LEVELS = { yes: "ok", findings: "warn", no: "bad", unknown: "unknown" };
const asked = {};

/** Asks for the verdicts that are too old. The proxy serves all pages one report of the last half minute. */
export function askReadiness() {
  if (document.hidden || !Array.isArray(state.standbys)) return;
  for (const { standby, primary } of state.standbys) {
    if (primary || Date.now() - (asked[standby] || 0) < EVERY_MILLIS) continue;
    asked[standby] = Date.now();
    ask("/api/standbys/" + encodeURIComponent(standby) + "/readiness/recent")
      .then(report => report, error => ({ error: error.message }))
      .then(report => {
        state.readiness = { ...state.readiness, [standby]: report };
        changed();
      });
  }
}

/** Returns the verdict on a standby: its level, what it says in a sentence, and what to do. */
export function verdict(name) {
  const report = state.readiness?.[name];
  if (!report) return { level: "unknown", said: "the readiness gate is being asked", todo: "" };
  if (report.error) return { level: "unknown", said: "the readiness gate has no verdict: " + report.error, todo: "understudy ready " + name + " says more." };
  const findings = report.findings || [];
  const heavy = { no: "blocks", unknown: "unknown" }[report.verdict];
  const shown = findings.filter(finding => !heavy || finding.severity === heavy);
  const names = [...new Set(shown.map(finding => finding.what || finding.check.replaceAll("_", " ")))].join("; ");
  const statements = [...new Set(shown.map(finding => finding.statement).filter(Boolean))];
  return {
    level: LEVELS[report.verdict] || "unknown",
    said: names || "nothing stands against it",
    todo: !findings.length ? "" : statements.length ? statements.join("; ") + "."
      : "understudy ready " + name + " says what to do; with the token this page does."
  };
}
