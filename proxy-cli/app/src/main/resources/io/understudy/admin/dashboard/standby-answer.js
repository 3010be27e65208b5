// Is the standby warm, and what if it took over now? One figure list for each standby.

import { verdict } from "./readiness.js";
import { UNKNOWN, count, duration, known, number, percent, text, words } from "./format.js";

const WARM = 0.9;
const COOL = 0.5;

export function standbyAnswer(state) {
  const base = {
    id: "standby",
    question: "Is the standby warm, and what if it took over now?",
    doc: "mirroring.md",
    charts: [
      { title: "Warmth, of the primary's", series: [["warmth", "coldest standby"]], format: value => percent(value), zero: true },
      { title: "Pages read from disk", series: [["coldReadsPerSecond", "pages/s, all standbys"]], format: value => known(value) ? number(value) + "/s" : "unknown" }
    ]
  };
  const all = state.standbys;
  if (!Array.isArray(all)) {
    return { ...base, level: "unknown", answer: all?.error ? "Not known: " + all.error : "Not known yet", figures: [] };
  }
  const standbys = all.filter(standby => !standby.primary);
  if (!standbys.length) {
    return { ...base, level: "unknown", answer: "No standby is configured", figures: [], note: "Add one under standbys in the configuration.", charts: [] };
  }
  const groups = standbys.map(standby => ({ name: standby.standby, ...one(standby, Boolean(state.mirror)) }));
  const ready = groups.filter(group => group.level === "ok").length;
  const level = ready === groups.length ? "ok"
    : ready ? "warn"
    : groups.some(group => group.level === "warn") ? "warn"
    : groups.some(group => group.level === "unknown") ? "unknown" : "bad";
  return {
    ...base,
    level,
    answer: groups.length === 1 ? groups[0].answer
      : ready + " of " + groups.length + " standbys are ready and warm. " + groups.map(group => group.name + ": " + group.answer).join(". "),
    groups
  };
}

/** Returns the level of one standby; every page that names it shows this one. */
export function standbyLevel(state, name) {
  const standby = Array.isArray(state.standbys) ? state.standbys.find(other => other.standby === name && !other.primary) : null;
  return standby ? one(standby, Boolean(state.mirror)).level : "unknown";
}

/** Lag at which the readiness gate says no, and at which it warns, in seconds; a test compares them. */
export const LAG_BLOCKS = 10;
export const LAG_WARNS = 2;

/** Returns the level of a standby's server, whatever its warmth. */
export function serverLevel(server) {
  return !server.reachable || server.applierStopped || server.lagSeconds > LAG_BLOCKS ? "bad"
    : server.readOnly === false || server.lagSeconds > LAG_WARNS ? "warn" : "ok";
}

const ORDER = ["bad", "unknown", "warn", "ok"];
const worse = levels => ORDER.find(level => levels.includes(level));

/** Returns what a server refuses. */
function refusal(account) {
  return account.login === false ? "the proxy's account there lacks a privilege" : "it refuses the login of the proxy's account";
}

/** Returns why the newest probe alone forbids a takeover, or nothing: the gate's verdict may be half a minute old. */
function forbids(server, account) {
  if (!server.reachable) return account?.broken ? refusal(account) + " (error " + String(account.code) + "), so nothing is known of it"
    : "it does not respond, nothing can take over";
  if (server.applierStopped) return "replication is stopped";
  return server.lagSeconds > LAG_BLOCKS ? "it is " + duration(server.lagSeconds) + " behind" : "";
}

function one(standby, mirrored) {
  const server = standby.state || {};
  const gate = verdict(standby.standby);
  const warmth = warm(standby, mirrored);
  const figures = [serverFigure(server, standby.account)];
  const forbidden = forbids(server, standby.account);
  if (!server.reachable) {
    return { level: standby.account?.broken ? "unknown" : "bad", answer: (standby.account?.broken ? "Not known: " : "No: ") + forbidden, figures };
  }
  figures.push(forbidden ? {
    label: "May it take over", value: "no", level: "bad", meaning: "By the last probe: " + forbidden + ". The readiness gate (understudy ready " + standby.standby + ") said up to half a minute ago: " + gate.said + ".",
    todo: gate.todo, doc: "failover.md"
  } : {
    label: "May it take over", value: { ok: "yes", warn: "with findings", bad: "no", unknown: "unknown" }[gate.level], level: gate.level,
    meaning: "The readiness gate (understudy ready " + standby.standby + "): " + gate.said + ".", todo: gate.todo, doc: "failover.md"
  }, ...warmth.figures);
  const level = worse([standby.account?.broken ? "warn" : "ok", serverLevel(server), gate.level, warmth.level]);
  const no = forbidden || (gate.level === "bad" ? gate.said : "");
  return {
    level,
    answer: no ? "No: " + no + "; " + warmth.said
      : gate.level === "unknown" ? "Not known: " + gate.said + "; " + warmth.said
      : { ok: "Yes", warn: gate.level === "warn" ? "Yes, with findings (" + gate.said + ")" : warmth.warmth >= COOL ? "Nearly" : "Yes, but not warm", unknown: "Not known", bad: "No" }[level] + ": " + warmth.said,
    figures
  };
}

/** Returns the level of a standby's warmth, what it says, and its figures. */
function warm(standby, mirrored) {
  const warmth = standby.warmth;
  if (!warmth) {
    return {
      level: "unknown", said: "nothing measures its warmth",
      figures: [{
        label: "Warmth", value: "unknown", level: "unknown", doc: "mirroring.md",
        meaning: mirrored ? "This standby's warmth is not measured."
          : 'Not measured: the plugin mirror keeps a standby warm and measures how warm. To switch it on, add "mirror: {}" under plugins in the configuration.'
      }]
    };
  }
  if (warmth.state !== "known" || !known(warmth.warmth)) {
    const why = warmth.why || words(warmth.state);
    return { level: "unknown", said: "its warmth is not known: " + why, figures: [{ label: "Warmth", value: "unknown", level: "unknown", meaning: "Not known: " + why + ".", doc: "mirroring.md" }] };
  }
  // A cold standby whose disk bears the reads is slower than it could be, and serves.
  const keepsUp = warmth.forecast?.secondsOverCapacity === 0;
  const level = warmth.warmth >= WARM ? "ok" : warmth.warmth >= COOL || keepsUp ? "warn" : "bad";
  const excess = warmth.excessPages || {};
  return {
    level, warmth: warmth.warmth, said: percent(warmth.warmth) + " warm; " + consequence(warmth.forecast || {}),
    figures: [
      {
        label: "Warmth", value: percent(warmth.warmth), level,
        meaning: "100 % is as warm as the primary, 0 % as cold as after a restart.",
        todo: level !== "ok" && "Mirror more of the reads (sample), or wait: see the forecast.", doc: "mirroring.md"
      },
      {
        label: "Excess", value: number(excess.estimate) + " pages",
        meaning: "Read from disk by a statement there and not on the primary; 95 % sure between " + number(excess.low) + " and " + number(excess.high) + "."
      },
      ...forecast(warmth.forecast || {})
    ]
  };
}

function serverFigure(server, account) {
  const refused = account?.broken;
  const state = refused ? account.login === false ? "lacks a privilege" : server.reachable ? "refuses new logins" : "refuses the login" : !server.reachable ? "does not respond" : server.applierStopped ? "replication stopped"
    : server.readOnly === false ? "not read-only" : known(server.lagSeconds) ? "replicates, " + duration(server.lagSeconds) + " behind" : "lag unknown";
  return {
    label: "Server",
    value: state,
    level: refused ? worse(["warn", server.reachable ? serverLevel(server) : "bad"]) : serverLevel(server),
    meaning: refused ? account.error + ". Without it: " + text(account.affected) + "."
      : server.problem || (server.reachable
      ? "Lag " + duration(server.lagSeconds) + ", up for " + duration(server.uptimeSeconds) + ", " + count(server.threadsRunning, "running thread") + "."
      : "The proxy tries again each second."),
    todo: refused ? "Remedy: " + account.remedy + "."
      : !server.reachable ? "Start it, or check its address under standbys."
      : server.applierStopped ? "SHOW REPLICA STATUS there (MariaDB: SHOW ALL SLAVES STATUS) has the error."
      : server.readOnly === false ? "Nothing is mirrored to a server that takes writes. Find out first whether it has been promoted."
      : server.lagSeconds > LAG_WARNS && "Look for a long transaction or ALTER on the standby.",
    doc: "mirroring.md"
  };
}

function forecast(forecast) {
  return [
    {
      label: "If it took over now: first minute",
      value: known(forecast.extraReadsFirstMinute) ? number(forecast.extraReadsFirstMinute) + " page reads" : text(forecast.extraReadsFirstMinute),
      meaning: "More than the primary would read at the present load. Each of the first 1,000 statements would read " + number(forecast.excessFirst1000) + " pages more."
    },
    {
      label: "Disk over capacity for",
      value: span(forecast, "secondsOverCapacity"),
      meaning: "Clients would wait for its disk, which reads " + number(forecast.capacity) + " pages/s"
        + (forecast.capacityFrom === "observed" ? " (the most seen)." : ".")
    },
    { label: "Warm in", value: span(forecast, "secondsUntilWarm"), meaning: "At the present rate of mirroring." }
  ];
}

/** Returns a time of the forecast, or the interval in which it lies. */
function span(forecast, key) {
  const [middle, low, high] = ["", "Low", "High"].map(bound => forecast[key + bound]);
  if (known(middle) || typeof middle === "string" || !known(low)) return duration(middle);
  return known(high) ? duration(low) + " to " + duration(high) : low > 0 ? "at least " + duration(low) : duration(middle);
}

function consequence(forecast) {
  const over = forecast.secondsOverCapacity;
  if (over === 0) return "its disk would keep up from the first second";
  const seconds = span(forecast, "secondsOverCapacity");
  return seconds === UNKNOWN ? "what a takeover would cost is not known yet" : "its disk would be over capacity for " + seconds;
}
