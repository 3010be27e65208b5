// From the figures to answers: what the overview says, in words that also tell what to do. No elements here.

import { count, duration, known, millis, number, percent, rate, sum, text, time, words } from "./format.js";
import { LAG_BLOCKS, LAG_WARNS, standbyAnswer } from "./standby-answer.js";

// The worst first.
export const LEVELS = ["bad", "warn", "unknown", "info", "ok"];

/** Returns how often something that counts as `key` happened in the last hour, as far as the dashboard has watched. */
export const lastHour = (now, key) => now?.lastHour?.[key] || 0;

/** Returns the level of losses of the mirror; every page that shows them has this one: a warning for an hour. */
export function lossLevel(frame, key) {
  const rate = frame?.values?.[key];
  return rate > 0 || lastHour(frame, key) > 0 ? "warn" : known(rate) ? "ok" : "unknown";
}

const HOUR_MILLIS = 3600000;

/** Returns the most urgent level of some figures. Those that say nothing about it are left out. */
export const worst = figures => LEVELS.find(level => figures.some(figure => figure.level === level)) || "ok";

/** Returns what to say in place of a plugin's figures while it is not configured. */
export const switchOn = (plugin, what) =>
  `Not measured: the plugin ${plugin} ${what}. To switch it on, add "${plugin}: {}" under plugins in the configuration.`;

/** Returns the four answers of the overview, in the order in which they matter. */
export function answers(state) {
  return [clients(state), standbyAnswer(state), lost(state), commits(state)];
}

export function clients(state) {
  const now = state.now?.values || {};
  const reasons = state.ready?.reasons || [];
  const warnings = state.ready?.warnings || [];
  const where = state.primary?.address ? " at " + state.primary.address : "";
  const figures = [
    {
      label: "Primary",
      value: !known(now.primaryUp) ? "unknown" : now.primaryUp ? "responds" : "does not respond",
      meaning: now.primaryUp === 0 ? "New sessions fail, or wait for failover.hold; present ones go on for as long as the primary serves them."
        : "The server behind the proxy" + where + ".",
      todo: now.primaryUp === 0 && "Log in to it directly. If it is lost: understudy failover --to NAME.",
      level: !known(now.primaryUp) ? "unknown" : now.primaryUp ? "ok" : "bad",
      doc: "failover.md"
    },
    { label: "Sessions", value: number(now.sessions), meaning: "Clients connected to the proxy now." },
    { label: "Commands", value: rate(now.commandsPerSecond), meaning: "Statements and other commands of clients." },
    {
      label: "Response, 99 %",
      value: now.commandsPerSecond === 0 ? "no commands" : duration(now.commandP99),
      meaning: "99 of 100 commands had their whole response within this time; half within "
        + (now.commandsPerSecond === 0 ? "–" : duration(now.commandP50)) + "."
    },
    {
      label: "Spent in the proxy, 99 %",
      value: now.commandsPerSecond === 0 ? "no commands" : duration(now.overheadP99),
      meaning: "The part of that time that the proxy itself took.",
      level: now.overheadP99 > 0.01 ? "warn" : undefined,
      todo: now.overheadP99 > 0.01 && "The host has too little CPU for its load; see benchmarks.md.",
      doc: "benchmarks.md"
    },
    {
      label: "Refused",
      value: rate(now.refusedPerSecond),
      meaning: "Connections that were turned away: " + number(lastHour(state.now, "refusedPerSecond")) + " in the last hour.",
      level: now.refusedPerSecond > 0 ? "warn" : known(now.refusedPerSecond) ? "ok" : undefined,
      todo: now.refusedPerSecond > 0 && "The log has the reason; listen.maxConnections is the limit.",
      doc: "configuration.md"
    }
  ];
  const account = state.primary?.account;
  if (account?.broken) {
    figures.push({
      label: "Account of " + account.key, value: "refused, error " + String(account.code), level: "warn",
      meaning: (account.server ? account.server + ": " : "") + account.error + ". Clients are served. Without it: " + text(account.affected) + ".",
      todo: "Remedy: " + account.remedy + ".", doc: "health-checks.md"
    });
  }
  if (state.hold?.held) {
    figures.push({
      label: "Held on request", value: duration(state.hold.leftMillis / 1000) + " left", level: "warn",
      meaning: "Sessions that wait: " + number(state.hold.atBoundary) + "; not at their boundary yet: " + number(state.hold.notYet) + ".",
      todo: "understudy release lets them go on.", doc: "failover.md"
    });
  }
  let level = state.ready ? reasons.length ? "bad" : worst(figures.filter(figure => figure.level)) : "unknown";
  if (level === "ok" && warnings.length) level = "warn";
  const busy = now.sessions === 0 ? "nobody is connected" : count(now.sessions, "session") + ", " + rate(now.commandsPerSecond).replace("/s", " commands/s");
  return {
    id: "clients",
    question: "Are clients served?",
    level,
    answer: level === "unknown" ? "Not known yet"
      : reasons.length ? "No: " + reasons.join("; ")
      : (level === "ok" ? "Yes: " : level === "unknown" ? "Probably: " : "Yes, but: ") + busy + warnings.map(warning => "; " + warning).join(""),
    figures,
    charts: [
      { title: "Commands per second", series: [["commandsPerSecond", "commands/s"]], format: rate },
      { title: "Response time", series: [["commandP50", "half within"], ["commandP99", "99 % within"]], format: duration }
    ],
    doc: "metrics.md"
  };
}

export function lost(state) {
  const now = state.now?.values || {};
  const figures = [exposure(state.commits, state.now), witness(state), lag(state, now), ...mirrorLosses(state.mirror, state.now), conflicts(state.domains, state.now)].filter(Boolean);
  const level = worst(figures.filter(figure => figure.level));
  const said = figures.filter(figure => figure.level === level).map(figure => figure.label.toLowerCase() + " " + figure.value);
  return {
    id: "lost",
    question: "Is anything being lost?",
    level,
    answer: { bad: "Yes: ", warn: "A little: ", unknown: "Not fully known: ", info: "No", ok: "No" }[level]
      + (["bad", "warn", "unknown"].includes(level) ? said.join(", ") : ": every commit is acknowledged, replicated and mirrored as asked"),
    figures,
    charts: [
      { title: "Replication lag", series: [["standbyLag", "worst standby"], ["domainLag", "worst GTID domain"]], format: duration },
      {
        title: "Losses per second",
        series: [["unacknowledgedPerSecond", "unacknowledged"], ["mirrorDroppedPerSecond", "dropped"], ["mirrorFailedPerSecond", "failed"], ["conflictsPerSecond", "conflicts"]],
        format: rate
      }
    ],
    doc: "failover.md"
  };
}

// A time without acknowledgement is a reason to act while it lasts and for an hour after; later it is history.
function exposure(commits, now) {
  const label = "Unacknowledged commits";
  if (!commits || commits.error) {
    return { label, value: "unknown", level: "unknown", meaning: commits?.error || switchOn("commit-latency", "watches which commits no standby has acknowledged"), doc: "commit-latency.md" };
  }
  if (commits.exposure?.expected === false && commits.semisync?.state === "off") {
    return { label, value: "not in use", level: "info", meaning: "Semi-sync is off on the primary, so no commit waits for a replica.", doc: "commit-latency.md" };
  }
  const open = commits.exposure?.current;
  const off = commits.semisync?.state;
  if (!open && (!off || off === "unknown")) {
    return {
      label, value: "unknown", level: "unknown",
      meaning: "The primary's semi-sync state cannot be read, so whether a standby has the commits is not known.",
      todo: "See the account of primary.monitor under Clients, and the log.", doc: "commit-latency.md"
    };
  }
  const total = commits.exposure?.unacknowledged;
  const exposed = open || off === "off" || off === "degraded";
  const past = commits.exposure?.past || [];
  const since = Date.parse(now?.time) - HOUR_MILLIS;
  const recent = past.filter(window => Date.parse(window.end) >= since).reduce((all, window) => all + window.commits, 0);
  const last = past.length ? ", the last until " + time(past[past.length - 1].end) : "";
  return {
    label,
    value: open ? number(open.commits) + " and counting" : recent > 0 ? number(recent) + " in the last hour" : "none in the last hour",
    level: exposed ? "bad" : recent > 0 ? "warn" : "ok",
    meaning: (open ? "The loss of the primary now would lose them if no standby has them; the window has been open for " + duration(open.milliseconds / 1000) + "."
      : total > 0 ? number(total) + " since the start" + last + "; no window is open now." : "Answered OK, though no standby had confirmed them: none since the start.")
      + " Semi-sync: " + text(off) + ".",
    todo: exposed ? "Find out why no standby acknowledges: is it up, and is semi-sync switched on at both ends?"
      : recent > 0 && "The commits page has the times; was a standby restarted then?",
    doc: "commit-latency.md"
  };
}

function witness(state) {
  const view = state.witness;
  if (!view) return null;
  const off = view.mode === "off"; // it keeps a log, and acknowledges nothing
  const present = off ? view.keeps : view.state === "present";
  const label = off ? "Log of the black box" : "Witness";
  if (view.error) return { label, value: "unknown", level: "unknown", meaning: view.error, doc: "black-box.md" };
  return {
    label,
    value: (off ? present ? "kept" : "not kept" : words(view.state)) + (present ? "" : " (" + words(view.reason) + ")"),
    level: present ? "ok" : view.reason === "behind" && view.sinceSeconds < 10 ? "info" : "bad",
    meaning: !present
      ? "The proxy has " + (off ? "kept nothing" : "acknowledged nothing to the primary") + " for " + duration(view.sinceSeconds) + ": " + text(view.cause) + "."
      : off ? "What a standby lacks survives the proxy." : number(view.acknowledged) + " commits acknowledged, from " + text(view.mode) + ".",
    todo: !present && view.remedy,
    doc: "black-box.md"
  };
}

function lag(state, now) {
  const stopped = (state.standbys || []).filter?.(standby => standby.state?.applierStopped).map(standby => standby.standby) || [];
  if (!state.standbys?.length) return null;
  return {
    label: "Replication lag",
    value: stopped.length ? "stopped" : duration(now.standbyLag),
    level: stopped.length ? "bad" : !known(now.standbyLag) ? "unknown" : now.standbyLag > LAG_BLOCKS ? "bad" : now.standbyLag > LAG_WARNS ? "warn" : "ok",
    meaning: stopped.length ? "Replication is stopped on " + stopped.join(", ") + "."
      : known(now.standbyLag) ? "How far the slowest standby is behind." : "No standby told it.",
    todo: stopped.length ? "SHOW REPLICA STATUS there has the error." : now.standbyLag > LAG_WARNS && "Look for a long transaction or ALTER on the standby.",
    doc: "gtid-domains.md"
  };
}

function mirrorLosses(mirror, frame) {
  const now = frame?.values || {};
  if (!mirror?.standbys) {
    return [{ label: "Mirrored statements", value: "unknown", level: "info", meaning: mirror?.error || switchOn("mirror", "sends reads to the standbys"), doc: "mirroring.md" }];
  }
  const reasons = {};
  for (const standby of mirror.standbys) {
    for (const [reason, dropped] of Object.entries(standby.dropped || {})) {
      if (dropped > 0 && reason !== "rate_limited") reasons[reason] = (reasons[reason] || 0) + dropped;
    }
  }
  const list = Object.entries(reasons).sort((a, b) => b[1] - a[1]).map(([reason, dropped]) => words(reason) + " " + number(dropped));
  const share = droppedShare(frame);
  const failed = mirror.standbys.reduce((all, standby) => all + sum(standby.executed) - (standby.executed?.ok || 0), 0);
  return [
    {
      label: "Dropped from the mirror",
      value: known(now.mirrorDroppedPerSecond) ? number(lastHour(frame, "mirrorDroppedPerSecond")) + " in the last hour"
        + (share > 0 ? ", " + percent(share) + " of the reads for it" : "") : "unknown",
      level: dropLevel(frame),
      meaning: list.length ? "Now " + rate(now.mirrorDroppedPerSecond) + ". Since the start: " + list.join(", ") + "."
        : "Reads chosen for a standby that did not reach it; none since the start.",
      todo: now.mirrorDroppedPerSecond > 0
        && (mirror.standbys.every(standby => standby.state === "mirroring") ? "Mirror less (sample), or give it more connections (concurrency)." : "Mirroring goes on by itself when the standby is back."),
      doc: "mirroring.md"
    },
    {
      label: "Failed on the standby",
      value: known(now.mirrorFailedPerSecond) ? number(lastHour(frame, "mirrorFailedPerSecond")) + " in the last hour" : "unknown",
      level: lossLevel(frame, "mirrorFailedPerSecond"),
      meaning: "Now " + rate(now.mirrorFailedPerSecond) + "; " + number(failed) + " since the start. Clients do not notice.",
      todo: now.mirrorFailedPerSecond > 0 && "The mirror page has the last errors; mostly a grant is missing.",
      doc: "mirroring.md"
    }
  ];
}

/** The share of dropped reads above which the alert UnderstudyMirrorDropping fires. */
const MUCH = 0.2;

/** Returns which share of the last hour's reads for the mirror was dropped. */
function droppedShare(frame) {
  const dropped = lastHour(frame, "mirrorDroppedPerSecond");
  return dropped > 0 ? dropped / (dropped + lastHour(frame, "mirroredPerSecond")) : 0;
}

/** Returns the level of what the mirror drops: a problem where the alert fires too. */
export function dropLevel(frame) {
  return droppedShare(frame) > MUCH ? "bad" : lossLevel(frame, "mirrorDroppedPerSecond");
}

/** Returns the figure of conflicts that could harm a replica: a warning for an hour after one, and history later. */
export function conflicts(domains, now) {
  if (!domains?.conflicts) return null;
  const kinds = Object.entries(domains.conflicts).filter(([kind, times]) => kind !== "pinned" && times > 0);
  const total = kinds.reduce((all, [, times]) => all + times, 0);
  const recent = Math.max(lastHour(now, "conflictsPerSecond"), now?.values?.conflictsPerSecond > 0 ? 1 : 0);
  return {
    label: "Domain conflicts",
    value: recent > 0 ? number(recent) + " in the last hour" : "none in the last hour",
    level: recent > 0 ? "warn" : "ok",
    meaning: "Tables written from two GTID domains, where a standby may apply the writes in another order. Since the start: "
      + number(total) + (kinds.length ? " (" + kinds.map(([kind, times]) => words(kind) + " " + number(times)).join(", ") + ")" : "")
      + "; " + number(domains.conflicts.pinned) + " more were prevented.",
    todo: recent > 0 && "The steering page has the tables; keep them in one domain.",
    doc: "gtid-domains.md"
  };
}

export function commits(state) {
  const now = state.now?.values || {};
  const view = state.commits;
  const base = { id: "commits", question: "What do commits cost?", doc: "commit-latency.md" };
  if (!view || view.error) {
    return { ...base, level: "unknown", answer: "Not measured", figures: [], note: view?.error || switchOn("commit-latency", "splits each commit's time into its parts") };
  }
  const idle = now.commitsPerSecond === 0;
  const share = known(now.ackP50) && now.commitP50 > 0 ? Math.min(1, now.ackP50 / now.commitP50) : NaN;
  const none = "no commits";
  const forecast = view.prediction || {};
  const figures = [
    { label: "Commits", value: rate(now.commitsPerSecond), meaning: "Commits, autocommitted statements and DDL." },
    { label: "Half within", value: idle ? none : duration(now.commitP50), meaning: "From the command to its OK." },
    { label: "99 % within", value: idle ? none : duration(now.commitP99), meaning: "One in a hundred takes longer." },
    {
      label: "Waiting for a standby",
      value: idle ? none : duration(now.ackP50),
      meaning: known(share) ? percent(share) + " of a median commit is the wait for an acknowledgement."
        : "Semi-sync: " + text(view.semisync?.state) + ". Parts are told by: " + text(view.attribution?.active) + ", as " + text(view.attribution?.reason) + ".",
      level: share > 0.9 ? "info" : undefined,
      doc: "commit-latency.md"
    },
    {
      label: "Ceiling of a connection",
      value: forecast.ceilingPerConnection > 0 ? number(forecast.ceilingPerConnection) + " commits/s" : "unknown",
      meaning: forecast.roundTripMillis > 0 ? "A connection cannot commit more often: the acknowledgement takes " + millis(forecast.roundTripMillis) + "."
        : "Known after some commits with semi-sync."
    },
    {
      label: "Transactions a flush",
      value: view.groupCommit?.groups > 0 ? number(view.groupCommit.transactionsPerGroup) : "unknown",
      meaning: "How many commits share one write of the binary log."
    }
  ];
  return {
    ...base,
    level: known(now.commitsPerSecond) ? "info" : "unknown",
    answer: !known(now.commitsPerSecond) ? "Not known yet"
      : idle ? "Nobody commits now"
      : duration(now.commitP50) + " for half of them" + (known(share) ? ", " + percent(share) + " of it the wait for a standby" : ""),
    figures,
    charts: [
      { title: "Commit time", series: [["commitP50", "half within"], ["ackP50", "of it waiting"], ["commitP99", "99 % within"]], format: duration },
      { title: "Commits per second", series: [["commitsPerSecond", "commits/s"]], format: rate }
    ]
  };
}

