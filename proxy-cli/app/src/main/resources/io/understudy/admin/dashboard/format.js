// Numbers for people. What is not known is said in words and never becomes 0.

export const UNKNOWN = "unknown";

export const known = value => typeof value === "number" && Number.isFinite(value);

/** Returns a number with at most three digits that count, whole ones in full. */
export function number(value, digits = 3) {
  if (!known(value)) return UNKNOWN;
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString("en");
  return value.toLocaleString("en", { maximumSignificantDigits: digits });
}

export function rate(value) {
  return known(value) ? number(value) + "/s" : UNKNOWN;
}

export function percent(share, digits = 0) {
  return known(share) ? (share * 100).toLocaleString("en", { maximumFractionDigits: digits }) + " %" : UNKNOWN;
}

/** Returns a time in the unit that fits, from seconds. */
export function duration(seconds) {
  if (!known(seconds)) return typeof seconds === "string" ? seconds : UNKNOWN;
  if (seconds === 0) return "0 s";
  if (seconds < 0.001) return number(seconds * 1e6) + " µs";
  if (seconds < 1) return number(seconds * 1e3) + " ms";
  if (seconds < 120) return number(seconds) + " s";
  if (seconds < 7200) return number(Math.round(seconds / 60)) + " min";
  if (seconds < 172800) return number(seconds / 3600, 2) + " h";
  return number(Math.round(seconds / 86400)) + " days";
}

export const millis = value => known(value) ? duration(value / 1000) : UNKNOWN;

export function bytes(value) {
  if (!known(value)) return UNKNOWN;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return number(value) + " " + units[unit];
}

/** Returns a count with its noun: "1 session", "2 sessions". */
export function count(value, one, many = one + "s") {
  return known(value) ? number(value) + " " + (value === 1 ? one : many) : UNKNOWN;
}

export function text(value) {
  if (value === null || value === undefined || value === "") return UNKNOWN;
  if (typeof value === "number") return number(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length ? value.map(text).join(", ") : "none";
  if (typeof value === "object") return Object.entries(value).map(([key, part]) => words(key) + " " + text(part)).join(", ");
  return String(value);
}

/** Returns words for a key of the API: "queue_full" becomes "queue full". */
export const words = key => String(key).replaceAll("_", " ");

export const time = iso => new Date(iso).toLocaleString([], { dateStyle: "short", timeStyle: "medium" });

export const sum = map => Object.values(map || {}).reduce((total, value) => total + (known(value) ? value : 0), 0);
