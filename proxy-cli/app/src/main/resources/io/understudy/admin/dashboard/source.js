// Where the figures come from: server-sent events, or polling where there is no room for another viewer.

const FALLBACK_MILLIS = 5000;
const STALE_MILLIS = 12000;
const RETRY_MILLIS = 60000;
const LONG_MILLIS = 10000;
const TOPICS = ["now", "ready", "build", "primary", "standbys", "mirror", "commits", "witness", "domains", "steering", "hold", "events"];

/** The newest value of each topic; a topic that the server does not have is absent. */
export const state = {};

const listeners = new Set();
let stream = null;
let polling = 0;
let heard = 0;
let how = "connecting";

export const token = {
  get: () => sessionStorage.getItem("token") || "",
  set: value => value ? sessionStorage.setItem("token", value) : sessionStorage.removeItem("token")
};

/** Returns the JSON at a path of the endpoint. Throws an error with the server's sentence. */
export async function ask(path) {
  const response = await fetch(path.slice(1), {
    cache: "no-store",
    headers: token.get() ? { Authorization: "Bearer " + token.get() } : {},
    signal: AbortSignal.timeout(15000)
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error || body.reasons?.join("; ") || "status " + response.status);
  return body;
}

/** Calls `listener` after every change, with how the figures come: "live", "polling", or "lost". */
export function listen(listener) {
  listeners.add(listener);
}

/** Tells the listeners that `state` has changed. */
export function changed(next = how) {
  how = next;
  listeners.forEach(listener => listener(how));
}

const askedAt = {};

function take(topic, value) {
  heard = Date.now();
  if (value?.tooLong) askForLong(topic);
  else state[topic] = value;
}

/** Asks for a view that is too long for a frame, and not with each frame. */
async function askForLong(topic) {
  if (document.hidden || Date.now() - (askedAt[topic] || 0) < LONG_MILLIS) return;
  askedAt[topic] = Date.now();
  try {
    state[topic] = await ask("/api/" + topic);
    changed(how);
  } catch (error) {
    state[topic] = { error: error.message };
  }
}

export function connect() {
  let due = false;
  stream = new EventSource("events");
  for (const topic of TOPICS) {
    stream.addEventListener(topic, event => {
      take(topic, JSON.parse(event.data));
      // The topics of one frame come together and are shown together.
      if (!due) {
        due = true;
        setTimeout(() => {
          due = false;
          changed("live");
        });
      }
    });
  }
  stream.onopen = () => stopPolling();
  stream.onerror = () => {
    // The browser retries by itself unless the server refused.
    if (stream.readyState === EventSource.CLOSED) {
      setTimeout(connect, RETRY_MILLIS);
    }
    startPolling();
  };
}

// A page that the browser keeps for "back" must not keep its connection: there are six for each address.
window.addEventListener("pagehide", () => stream?.close());
window.addEventListener("pageshow", event => event.persisted && connect());

function startPolling() {
  if (!polling) {
    polling = setInterval(poll, FALLBACK_MILLIS);
    poll();
  }
}

function stopPolling() {
  clearInterval(polling);
  polling = 0;
}

async function poll() {
  try {
    const overview = await ask("/api/overview");
    for (const topic of TOPICS) take(topic, overview[topic]);
    changed("polling");
  } catch (error) {
    changed("lost");
  }
}

setInterval(() => {
  if (heard && Date.now() - heard > STALE_MILLIS) changed("lost");
}, 3000);

export const heardAt = () => heard;
