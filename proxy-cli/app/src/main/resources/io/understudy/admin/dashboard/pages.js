// The pages behind the overview, by route.

import { advice, leverRules } from "./advice.js";
import { clients, commits, conflicts, dropLevel, lastHour, lossLevel, switchOn } from "./answers.js";
import { el, raw, table } from "./dom.js";
import { bytes, count, duration, millis, number, percent, sum, text, time, words } from "./format.js";
import { badge, charts, figureList, rangeChoice } from "./overview.js";
import { ask, state, token } from "./source.js";
import { standbyLevel } from "./standby-answer.js";

const ROWS = 200;
const own = {};
let filter = "";

async function load(name) {
  try {
    own[name] = { value: await ask("/api/" + name) };
  } catch (error) {
    own[name] = { problem: error.message };
  }
}

async function loadDigests() {
  try {
    if ((await ask("/api")).views.includes("/api/digests")) await load("digests");
  } catch (error) {
    own.digests = { problem: error.message };
  }
}

const head = (title, what, doc) => [
  el("h2", {}, title),
  el("p", { class: "lead" }, what, el("span", { class: "doc" }, " docs/" + doc))
];

const absent = (title, plugin, what, doc) => [...head(title, switchOn(plugin, what), doc)];

const failed = (title, view, doc) => [...head(title, "Not known: " + view.error + ".", doc)];

const estimate = row => number(row.estimate) + " (" + number(row.low) + " to " + number(row.high) + ")";

function mirror() {
  const view = state.mirror;
  if (view?.error) return failed("Mirror", view, "mirroring.md");
  if (!view?.standbys) return absent("Mirror", "mirror", "runs a sample of the clients' reads on the standbys to keep them warm", "mirroring.md");
  const skipped = Object.entries(view.skipped || {}).sort((a, b) => b[1] - a[1]);
  return [
    ...head("Mirror", "Sampled reads run on the standbys too, so that their buffer pools stay warm. Clients never wait for them.", "mirroring.md"),
    figureList([
      { ...lossOfLastHour("Dropped in the last hour", "mirrorDroppedPerSecond", "Reads chosen for a standby that did not reach it; by reason below."), level: dropLevel(state.now) },
      lossOfLastHour("Failed in the last hour", "mirrorFailedPerSecond", "Reads that a standby refused or did not end in time; the last errors are below.")
    ]),
    rangeChoice(),
    charts("mirror", [
      { title: "Statements per second", series: [["mirroredPerSecond", "executed"], ["mirrorDroppedPerSecond", "dropped"], ["mirrorFailedPerSecond", "failed"]], format: value => number(value) },
      { title: "Waiting statements", series: [["mirrorQueue", "waiting"]], format: value => number(value) },
      { title: "Time on the standby", series: [["mirrorP99", "99 % within"]], format: duration }
    ]),
    ...view.standbys.map(mirrored).flat(),
    table("Rules, first match wins", [
      ["rule", row => row.rule], ["sample", row => text(row.sample)], ["by", row => text(row.by)], ["statements matched", row => number(row.hits), "number"]
    ], view.rules, "no rule: nothing is mirrored"),
    table("Not mirrored, and why", [["reason", ([reason]) => words(reason)], ["statements", ([, times]) => number(times), "number"]], skipped, "every statement that matched could be mirrored"),
    table("Slower on the standby", [
      ["digest", row => row.digest], ["executions", row => number(row.count), "number"],
      ["primary", row => duration(row.primaryMicros / 1e6), "number"], ["standby", row => duration(row.standbyMicros / 1e6), "number"], ["ratio", row => number(row.ratio), "number"]
    ], view.slowerOnStandby, "no statement would be slower after a failover"),
    raw("/api/mirror", () => state.mirror)
  ];
}

function lossOfLastHour(label, key, meaning) {
  return { label, value: number(lastHour(state.now, key)), level: lossLevel(state.now, key), meaning };
}

function mirrored(standby) {
  const executed = sum(standby.executed);
  const failed = executed - (standby.executed?.ok || 0);
  const lost = Object.entries(standby.dropped || {}).filter(([, times]) => times > 0);
  return [
    el("h3", {}, standby.standby, " ", badge(standby.state === "paused_primary" ? "info" : standbyLevel(state, standby.standby))),
    figureList([
      { label: "State", value: words(standby.state), level: standby.state === "mirroring" ? "ok" : "info", meaning: count(standby.connections, "connection") + "." },
      { label: "Waiting", value: count(standby.waitingStatements, "statement"), meaning: bytes(standby.waitingBytes) + ". A queue that is always full needs a higher concurrency or a lower sample." },
      { label: "Executed", value: number(executed), meaning: number(failed) + " of them failed." },
      {
        label: "Dropped", value: number(sum(standby.dropped)),
        meaning: "Since the start" + (lost.length ? ": " + lost.map(([reason, times]) => words(reason) + " " + number(times)).join(", ") : "") + "."
      }
    ]),
    table("Last errors on " + standby.standby, [
      ["rule", row => text(row.rule)], ["when", row => row.when ? time(row.when) : "unknown"], ["error", row => text(row.error)], ["text", row => text(row.text)], ["digest", row => text(row.digest)]
    ], standby.lastErrors, "none"),
    table("Coldest tables of " + standby.standby, [
      ["table", row => row.table], ["pages a statement (95 %)", estimate, "number"], ["probes", row => number(row.probes), "number"]
    ], standby.cold?.tables, "no table was measured yet"),
    table("Coldest statements of " + standby.standby, [
      ["digest", row => row.digest], ["pages a statement (95 %)", estimate, "number"], ["probes", row => number(row.probes), "number"]
    ], standby.cold?.digests, "no statement was measured yet")
  ];
}

const line = [
  ["commits", row => number(row.commits), "number"],
  ["half within", row => millis(row.p50Millis), "number"],
  ["95 %", row => millis(row.p95Millis), "number"],
  ["99 %", row => millis(row.p99Millis), "number"],
  ["longest", row => millis(row.maxMillis), "number"],
  ["waiting for a standby", row => percent(row.ackShare), "number"]
];

function commitPage() {
  const view = state.commits;
  if (!view || view.error) return absent("Commits", "commit-latency", "splits each commit's time into its parts", "commit-latency.md");
  const answer = commits(state);
  const windows = [...(view.exposure?.current ? [view.exposure.current] : []), ...(view.exposure?.past || []).slice().reverse()];
  return [
    ...head("Commits", answer.answer + ".", "commit-latency.md"),
    figureList([
      ...answer.figures,
      { label: "Semi-sync", value: text(view.semisync?.state), meaning: count(view.semisync?.replicas, "replica") + ", " + text(view.semisync?.waitPoint) + "." },
      { label: "How the time is split", value: text(view.attribution?.active), meaning: text(view.attribution?.reason) + "." },
      {
        label: "Connections needed", value: view.prediction?.connectionsNeeded > 0 ? number(view.prediction.connectionsNeeded) : "unknown",
        meaning: "To commit as often as in the last minutes of commits, at the least."
          + (view.prediction?.lastCommitSecondsAgo > 60 ? " The last one was " + duration(view.prediction.lastCommitSecondsAgo) + " ago." : "")
      }
    ]),
    rangeChoice(),
    charts("commits", answer.charts),
    table("Times without acknowledgement", [
      ["from", row => time(row.begin)], ["until", row => row.end ? time(row.end) : "still open"],
      ["lasted", row => millis(row.milliseconds), "number"], ["commits", row => number(row.commits), "number"], ["first", row => text(row.firstGtid)], ["last", row => text(row.lastGtid)]
    ], windows, "none: a standby had every commit before the client got its OK"),
    table("By user", [["user", row => row.key], ...line], view.users, "no commits yet"),
    table("By schema", [["schema", row => row.key], ...line], view.schemas, "no commits yet"),
    table("By statement", [["digest", row => row.key], ...line], view.digests, "no commits yet"),
    table("Group commit by setting", [
      ["wait count", row => number(row.waitCount)], ["wait µs", row => number(row.waitMicros), "number"], ["transactions a flush", row => number(row.transactionsPerGroup), "number"],
      ["commits", row => number(row.commits), "number"], ["mean time", row => millis(row.commitMillis), "number"]
    ], view.groupCommit?.bySetting, "not known yet"),
    raw("/api/commits", () => state.commits)
  ];
}

function steering() {
  const view = state.domains;
  if (view?.error || state.steering?.error) return failed("Steering", view?.error ? view : state.steering, "gtid-domains.md");
  if (!view?.rules && state.steering) {
    return [
      ...head("Steering", "Mode " + text(state.steering.mode) + ". No rule gives a domain.", "gtid-domains.md"),
      ...advice(),
      leverRules(state.steering),
      raw("/api/steering", () => state.steering)
    ];
  }
  if (!view?.rules) return absent("Steering", "gtid-domain", "puts independent writes into GTID domains of their own, so that standbys apply them in parallel", "gtid-domains.md");
  return [
    ...head("Steering", view.mode === "tag" ? "Sessions are tagged with GTID domains by rule; the guard keeps a table in one domain." : "Mode advise: the figures say what tagging would do; nothing is changed.", "gtid-domains.md"),
    figureList([
      { label: "Mode", value: text(view.mode), meaning: "Guard: " + text(view.guard) + "." },
      ...(view.nothingTagged ? [{ label: "Tagged", value: "nothing", level: "warn", meaning: "Because " + view.nothingTagged + ".", doc: "gtid-domains.md" }] : []),
      { label: "Independent writes", value: percent(view.independentShare), meaning: "Of " + number(view.writes) + " writes; what a standby may apply beside the others." },
      conflicts(view, state.now),
      { label: "Guard", value: view.guardState?.problem ? "has a problem" : view.guardState?.learning ? "learning" : "watching", level: view.guardState?.problem ? "warn" : "ok", meaning: view.guardState?.problem || count(view.guardState?.tablesKnown, "table") + " known, " + number(view.guardState?.handovers) + " handovers." }
    ].filter(Boolean)),
    ...(state.steering ? advice() : []),
    rangeChoice(),
    charts("steering", [
      { title: "Lag of the slowest domain", series: [["domainLag", "lag"]], format: duration },
      { title: "Conflicts per second", series: [["conflictsPerSecond", "conflicts"]], format: value => number(value) }
    ]),
    table("Rules", [
      ["rule", row => row.name], ["domain", row => text(row.domain)], ["statements matched", row => number(row.matched), "number"], ["tagged", row => number(row.tagged), "number"],
      ["would be tagged", row => number(row.advised), "number"], ["followed the owner", row => number(row.pinned), "number"], ["left in the default", row => number(row.kept_default), "number"]
    ], view.rules, "no rules"),
    ...(state.steering ? [leverRules(state.steering)] : []),
    table("Domains on the standbys", [
      ["standby", row => row.standby], ["domain", row => text(row.domain)], ["behind", row => row.known ? count(row.lagTransactions, "transaction") : "unknown", "number"], ["lag", row => row.known ? duration(row.lagSeconds) : "unknown", "number"]
    ], view.standbys, "no position is known yet"),
    table("Tables of two domains", [
      ["table", row => row.table], ["writes by domain", row => Object.entries(row.writesByDomain || {}).map(([domain, writes]) => domain + ": " + number(writes)).join(", ")],
      ["rules want", row => text(row.wantedDomains)], ["kept in the default by", row => text(row.keptBy)]
    ], view.tablesWrittenFromTwoDomains, "none"),
    table("Applier errors", [["standby", row => text(row.standby)], ["error", row => text(row.errno ?? row.unknown)], ["table", row => text(row.table)], ["written in", row => text(row.domainsThatWroteIt?.join(", "))]], view.applierErrors, "none"),
    raw("/api/domains", () => state.domains),
    state.steering ? raw("/api/steering", () => state.steering) : ""
  ];
}

function filterField() {
  const input = el("input", { id: "filter", type: "search", autocomplete: "off" });
  input.addEventListener("input", () => {
    filter = input.value.trim().toLowerCase();
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  });
  return el("p", { class: "range" }, el("label", { for: "filter" }, "User, schema, client or state: "), input);
}

function sessions() {
  const { value, problem } = own.sessions || {};
  const parts = head("Sessions", "The clients' connections. No SQL text is shown.", "admin-api.md");
  if (problem) return [...parts, el("p", { class: "empty" }, problem)];
  if (!value) return [...parts, el("p", { class: "empty" }, "asking…")];
  const matching = value.sessions.filter(row => !filter || [row.user, row.schema, row.client, row.phase].some(part => String(part ?? "").toLowerCase().includes(filter)));
  const listed = value.sessions.length;
  return [
    ...parts,
    figureList([
      { label: "Sessions", value: number(value.count), meaning: "Of at most " + number(value.limit) + ". The next one gets ERROR 1040.", level: value.count > value.limit * 0.9 ? "warn" : "ok", todo: value.count > value.limit * 0.9 && "Raise listen.maxConnections.", doc: "configuration.md" },
      { label: "In a transaction", value: number(value.sessions.filter(row => row.inTransaction).length), meaning: listed < value.count ? "Of the " + number(listed) + " sessions listed." : "They end last when the proxy drains." },
      ...(value.draining ? [{ label: "Draining", value: "yes", level: "warn", meaning: "No new sessions; the others end after their transaction." }] : []),
      ...clients(state).figures.filter(figure => figure.label === "Refused")
    ]),
    rangeChoice(),
    charts("sessions", [{ title: "Sessions", series: [["sessions", "sessions"]], format: v => number(v) }]),
    filterField(),
    el("p", {}, "Shown: " + number(Math.min(ROWS, matching.length)) + " of " + number(matching.length) + " that match"
      + (listed < value.count ? "; the endpoint lists " + number(listed) + " of " + number(value.count) + "." : ".")),
    table("Sessions", [
      ["id", row => text(row.id)], ["user", row => text(row.user)], ["schema", row => row.schema ? String(row.schema) : "none"], ["client", row => String(row.client ?? "").replace(/^\//, "")],
      ["state", row => text(row.phase)], ["in transaction", row => text(row.inTransaction)], ["commands", row => number(row.commands), "number"], ["server thread", row => text(row.serverThreadId), "number"]
    ], matching.slice(0, ROWS), filter ? "none matches" : "nobody is connected"),
    raw("/api/sessions", () => own.sessions?.value)
  ];
}

function digests() {
  const { value, problem } = own.digests || {};
  if (problem || !value?.digests) {
    return problem ? head("Digests", problem, "query-log.md") : absent("Digests", "query-log", "keeps figures of each kind of statement", "query-log.md");
  }
  const withText = value.digests.some(row => row.text);
  return [
    ...head("Digests", "Statements that differ only in their values, the most time first. " + (withText ? "" : token.get() ? "" : "Their texts need the token."), "query-log.md"),
    table("Digests", [
      ["digest", row => row.digest], ["kind", row => text(row.kind)], ["count", row => number(row.count), "number"], ["errors", row => number(row.errors), "number"],
      ["total", row => duration(row.seconds?.total), "number"], ["mean", row => duration(row.seconds?.mean), "number"], ["99 %", row => duration(row.seconds?.p99), "number"],
      ["rows", row => number(row.rows), "number"], ["tables", row => text([...new Set([...(row.reads || []), ...(row.writes || [])])])],
      ["mirrored", row => row.pureRead ? "may be" : "no: " + words(row.notPure || "unknown")],
      ...(withText ? [["text", row => el("code", {}, row.text || "")]] : [])
    ], value.digests.slice(0, ROWS), "no statement yet"),
    raw("/api/digests", () => own.digests?.value)
  ];
}

function events() {
  const all = own.events?.value || state.events || [];
  const level = { problem: "bad", recovered: "ok", info: "info" };
  return [
    ...head("Events", "Changes of state since the proxy started, newest first; the last 500 are kept in memory. The log has more.", "admin-api.md"),
    table("Events", [
      ["time", row => el("time", { datetime: row.time }, time(row.time))], ["", row => badge(level[row.level] || "info")], ["about", row => row.subject], ["what", row => row.text]
    ], all.slice(0, ROWS), "nothing has changed since the proxy started"),
    raw("/api/events", () => all)
  ];
}

export const PAGES = {
  mirror: { title: "Mirror", render: mirror },
  commits: { title: "Commits", render: commitPage },
  steering: { title: "Steering", render: steering },
  sessions: { title: "Sessions", render: sessions, load: () => load("sessions") },
  digests: { title: "Digests", render: digests, load: loadDigests },
  events: { title: "Events", render: events, load: () => load("events") }
};
