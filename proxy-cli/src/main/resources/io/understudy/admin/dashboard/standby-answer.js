// Is the standby warm, and what if it took over now? One figure list for each standby.

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
  const warm = groups.filter(group => group.level === "ok").length;
  const level = warm === groups.length ? "ok"
    : warm ? "warn"
    : groups.some(group => group.level === "warn") ? "warn"
    : groups.some(group => group.level === "unknown") ? "unknown" : "bad";
  return {
    ...base,
    level,
    answer: groups.length === 1 ? groups[0].answer
      : warm + " of " + groups.length + " standbys are warm. " + groups.map(group => group.name + ": " + group.answer).join(". "),
    groups
  };
}

/** Returns the level of one standby; every page that names it shows this one. */
export function standbyLevel(state, name) {
  const standby = Array.isArray(state.standbys) ? state.standbys.find(other => other.standby === name && !other.primary) : null;
  return standby ? one(standby, Boolean(state.mirror)).level : "unknown";
}

/** Returns the level of a standby's server, whatever its warmth. */
export function serverLevel(server) {
  return !server.reachable || server.applierStopped ? "bad" : server.readOnly === false ? "warn" : "ok";
}

function one(standby, mirrored) {
  const server = standby.state || {};
  const figures = [serverFigure(server)];
  if (!server.reachable) {
    return { level: "bad", answer: "No: it does not respond, nothing can take over", figures };
  }
  const warmth = standby.warmth;
  if (!warmth) {
    figures.push({
      label: "Warmth", value: "unknown", level: "unknown", doc: "mirroring.md",
      meaning: mirrored ? "This standby's warmth is not measured."
        : 'Not measured: the plugin mirror keeps a standby warm and measures how warm. To switch it on, add "mirror: {}" under plugins in the configuration.'
    });
    return { level: "unknown", answer: "Not known: nothing measures its warmth", figures };
  }
  if (warmth.state !== "known" || !known(warmth.warmth)) {
    const why = warmth.why || words(warmth.state);
    figures.push({ label: "Warmth", value: "unknown", level: "unknown", meaning: "Not known: " + why + ".", doc: "mirroring.md" });
    return { level: server.applierStopped ? "bad" : "unknown", answer: "Not known: " + why, figures };
  }
  // A cold standby whose disk bears the reads is slower than it could be, and serves.
  const keepsUp = warmth.forecast?.secondsOverCapacity === 0;
  const level = server.applierStopped ? "bad" : warmth.warmth >= WARM ? "ok" : warmth.warmth >= COOL || keepsUp ? "warn" : "bad";
  const excess = warmth.excessPages || {};
  figures.push(
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
  );
  const said = { ok: "Yes", warn: warmth.warmth >= COOL ? "Nearly" : "Not warm", bad: server.applierStopped ? "No: replication is stopped" : "No" }[level];
  return { level, answer: said + ": " + percent(warmth.warmth) + " warm; " + consequence(warmth.forecast || {}), figures };
}

function serverFigure(server) {
  const state = !server.reachable ? "does not respond" : server.applierStopped ? "replication stopped" : server.readOnly === false ? "not read-only" : "replicates";
  return {
    label: "Server",
    value: state,
    level: serverLevel(server),
    meaning: server.problem || (server.reachable
      ? "Lag " + duration(server.lagSeconds) + ", up for " + duration(server.uptimeSeconds) + ", " + count(server.threadsRunning, "running thread") + "."
      : "The proxy tries again each second."),
    todo: !server.reachable ? "Start it, or check address and account under standbys."
      : server.applierStopped ? "SHOW REPLICA STATUS there has the error."
      : server.readOnly === false && "Nothing is mirrored to a server that takes writes. Find out first whether it has been promoted.",
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
