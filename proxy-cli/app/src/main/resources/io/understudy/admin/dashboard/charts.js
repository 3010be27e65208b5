// Charts of the last minutes or hours, drawn by uPlot. Lines differ in dashes too, and each chart has its figures in words.
/* global uPlot */

import { el } from "./dom.js";
import { known } from "./format.js";
import { ask } from "./source.js";

// As the borders of .line-1 to .line-4 in the style sheet.
const DASHES = [[], [7, 3], [2, 2], [12, 3]];
const REFRESH_MILLIS = 10000;
const HEIGHT = 9;

export const RANGES = { "15m": "15 minutes", "1h": "hour", "6h": "6 hours", "24h": "24 hours" };

let range = sessionStorage.getItem("range") in RANGES ? sessionStorage.getItem("range") : "15m";
let history = null;
let problem = "";
let asked = 0;
const shown = new Set();

export const currentRange = () => range;

/** Changes the span of all charts. */
export function setRange(next) {
  range = next;
  sessionStorage.setItem("range", next);
  asked = 0;
  refreshHistory();
}

/** Asks for the history again if it is older than its newest point may be. */
export async function refreshHistory() {
  const now = Date.now();
  if (now - asked < REFRESH_MILLIS) return;
  asked = now;
  const wanted = range;
  try {
    const answer = await ask("/api/history/" + wanted);
    if (wanted !== range) return;
    history = answer;
    problem = "";
  } catch (error) {
    problem = error.message;
  }
  shown.forEach(draw => draw());
}

/**
 * Returns a chart.
 *
 * @param spec its title, series as [key, label], and the format of its values
 */
export function chart(spec) {
  const place = el("div", { class: "plot", role: "img", "aria-label": spec.title });
  const words = el("p", { class: "plot-words" }, "asking for the history…");
  const figure = el("figure", {}, el("figcaption", {}, spec.title), place, words);
  let plot = null;
  let drawn = null;

  const draw = () => {
    if (!figure.isConnected) {
      if (drawn) drop();
      return;
    }
    if (!history || drawn === history) {
      if (problem) words.textContent = problem;
      return;
    }
    drawn = history;
    const lines = spec.series.map(([key]) => history.series[key] || []);
    const any = lines.some(line => line.some(known));
    if (any) words.replaceChildren(...legend(spec, lines));
    else words.textContent = "Nothing known in the last " + RANGES[history.range] + ".";
    place.setAttribute("aria-label", spec.title + ", last " + RANGES[history.range] + ": " + words.textContent);
    place.hidden = !any;
    if (!any) return;
    const times = lines[0].map((value, index) => history.from + index * history.step);
    if (plot) plot.setData([times, ...lines]);
    else plot = create(spec, place, [times, ...lines]);
  };
  const drop = () => {
    plot?.destroy();
    plot = null;
    drawn = null;
    shown.delete(draw);
  };
  const resize = new ResizeObserver(() => {
    if (plot && place.clientWidth) plot.setSize({ width: place.clientWidth, height: height() });
  });
  resize.observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    plot?.destroy();
    plot = null;
    drawn = null;
    draw();
  });
  figure.refresh = () => {
    shown.add(draw);
    refreshHistory();
    draw();
  };
  return figure;
}

const height = () => HEIGHT * parseFloat(getComputedStyle(document.documentElement).fontSize);

/** Returns the lines' names with their newest, lowest and highest value. */
function legend(spec, lines) {
  return spec.series.map(([, label], index) =>
    el("span", {}, el("span", { class: "line line-" + (index + 1), "aria-hidden": "true" }), label + " " + summary(lines[index], spec.format) + (index < lines.length - 1 ? "; " : "")));
}

function summary(line, format) {
  const values = line.filter(known);
  if (!values.length) return "unknown";
  const last = line.slice(-3).filter(known).pop();
  return format(last) + " (" + format(Math.min(...values)) + " to " + format(Math.max(...values)) + ")";
}

function create(spec, place, data) {
  const style = getComputedStyle(document.documentElement);
  const color = name => style.getPropertyValue(name).trim();
  const size = parseFloat(style.fontSize);
  const font = Math.round(size * 0.75) + "px system-ui, sans-serif";
  const axis = { stroke: color("--soft"), font, grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line"), width: 1 } };
  return new uPlot({
    width: place.clientWidth || 300,
    height: height(),
    legend: { show: false },
    padding: [8, size * 1.5, 0, 0],
    cursor: { y: false },
    scales: { y: { range: (plot, low, high) => [0, spec.zero ? 1 : high > 0 ? high * 1.08 : 1] } },
    axes: [
      { ...axis, size: size * 2, space: size * 5, values: (plot, ticks) => ticks.map(clock) },
      { ...axis, size: size * 4.6, space: size * 2, values: (plot, ticks) => ticks.map(tick => tick === 0 ? "0" : spec.format(tick)) }
    ],
    series: [{}, ...spec.series.map(([, label], index) => ({
      label,
      stroke: color("--chart-" + (index + 1)),
      dash: DASHES[index],
      width: 2,
      points: { show: false }
    }))]
  }, data, place);
}

const clock = seconds => new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
