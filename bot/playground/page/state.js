/** What the page knows: the last state of the workspace, where the person is in it, and how to ask for things. */

const HOME = "home";
const DEBOUNCE_MS = 100;
const ANSWER_LIMIT_MS = 15000;
const RECONNECT_MS = 2000;
const QUIET = new Set(["/ui/home", "/ui/clock", "/ui/story", "/ui/close"]);
const listeners = new Set();

/**
 * Where the person is (kept in the address), the message to jump to once (from a permalink), and the newest state (`null`
 * until the first answer).
 */
export const ui = { user: "U0ANA", channel: null, thread: null, jump: null, state: null, live: "connecting", namesKey: "", clock: { now: 0, heard: 0 }, expecting: 0 };

/** `#ci`, or `@tailback` for the direct conversation with the app. */
export const titleOf = (channel) => (channel ? `${channel.is_im ? "@" : "#"}${channel.name}` : "");

/** Calls `listener` after every change of `ui`. */
export function onChange(listener) {
  listeners.add(listener);
}

export function changed() {
  for (const listener of listeners) listener();
}

export const isHome = () => ui.channel === HOME;
export const channels = () => ui.state?.channels ?? [];
export const currentChannel = () => channels().find((channel) => channel.id === ui.channel) ?? null;

/** Reads the place from the address bar. */
export function readAddress(search = location.search) {
  const query = new URLSearchParams(search);
  ui.user = query.get("user") || ui.user;
  ui.channel = query.get("channel") || ui.channel;
  ui.thread = query.get("thread") ?? query.get("thread_ts");
  ui.jump = query.get("ts");
}

/** Goes to another person, channel or thread and writes that into the address bar. */
export function navigate(place) {
  const before = ui.user;
  Object.assign(ui, place);
  writeAddress();
  changed();
  if (ui.user !== before) refresh();
}

function writeAddress() {
  const query = new URLSearchParams({ user: ui.user });
  if (ui.channel) query.set("channel", ui.channel);
  if (ui.thread) query.set("thread", ui.thread);
  history.replaceState(null, "", `${location.pathname}?${query}`);
}

/** Names for the ids that stand in messages; an unknown id is shown as it is. */
export const names = {
  user: (id) => (id === ui.state?.bot.user_id ? ui.state.bot.name : (person(id)?.name ?? id)),
  channel: (id) => channels().find((channel) => channel.id === id)?.name ?? id,
  group: (id) => ui.state?.groups?.find((group) => group.id === id)?.handle ?? id,
  isMe: (id) => id === ui.user,
};

export function person(id) {
  return ui.state?.users.find((user) => user.id === id) ?? null;
}

/** "guest" or "from another organisation" where that matters for what a person may do, else "". */
export function standing(user) {
  if (user.stranger) return "from another organisation";
  return user.guest ? "guest" : "";
}

let running = false;
let again = false;

/** Fetches the state; calls that come while one is under way are folded into one more. */
export async function refresh() {
  if (running) {
    again = true;
    return;
  }
  running = true;
  do {
    again = false;
    await fetchState();
  } while (again);
  running = false;
}

async function fetchState() {
  const asked = ui.user;
  try {
    const answer = await fetch(`/ui/state?user=${encodeURIComponent(asked)}`, { cache: "no-store" });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const state = await answer.json();
    if (asked !== ui.user) {
      again = true;
      return;
    }
    accept(state);
  } catch {
    ui.live = "lost";
    changed();
  }
}

function accept(state) {
  ui.state = state;
  if (state.now) ui.clock = { now: state.now, heard: performance.now() };
  if (state.me) ui.user = state.me.id;
  ui.namesKey = JSON.stringify([ui.user, state.users, state.groups, state.channels.map((channel) => channel.name)]);
  if (!isHome() && !currentChannel()) {
    const holdsThread = (channel) => channel.messages.some((message) => message.ts === ui.thread);
    const channel = state.channels.find(holdsThread);
    ui.channel = channel?.id ?? state.frame?.channel ?? state.channels[0]?.id ?? null;
    if (!channel) ui.thread = null;
  }
  writeAddress();
  changed();
}

let timer = 0;

function refreshSoon() {
  timer ||= setTimeout(() => {
    timer = 0;
    refresh();
  }, DEBOUNCE_MS);
}

/** Follows the server's events; after a lost connection it tries again by itself. */
export function listen() {
  const source = new EventSource("/ui/events");
  source.onopen = () => {
    ui.live = "live";
    changed();
    refreshSoon();
  };
  source.onmessage = (event) => {
    const { seq, now } = JSON.parse(event.data);
    if (now) ui.clock = { now, heard: performance.now() };
    if (seq !== ui.state?.seq) refreshSoon();
  };
  source.onerror = () => {
    ui.live = "lost";
    changed();
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, RECONNECT_MS);
  };
}

/** Sends a request as this person; resolves to {ok, error?, errors?} and never rejects. */
export async function post(path, body) {
  if (!QUIET.has(path)) ui.expecting = performance.now() + ANSWER_LIMIT_MS;
  let answer;
  try {
    answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ user: ui.user, ...body }),
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
  } catch (problem) {
    const late = problem.name === "TimeoutError";
    return { ok: false, error: late ? "The playground did not answer within 15 s." : "The playground cannot be reached. Is it still running?" };
  }
  const result = await answer.json().catch(() => null);
  if (result && typeof result.ok === "boolean") {
    if (!result.ok && !result.error) result.error = `The playground refused this (status ${answer.status}).`;
    return result;
  }
  return { ok: false, error: `The playground answered with status ${answer.status} and no explanation.` };
}
