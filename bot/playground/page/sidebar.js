/** The left column: workspace, who I am, channels with their unread marks, App Home, and whether the page is live. */

import { digest, h, reconcile } from "./dom.js";
import { avatar } from "./messages.js";
import { isHome, navigate, person, post, standing, titleOf, ui } from "./state.js";
import { showBanner } from "./menu.js";

const STORE = "playground-read";
const LIVE = { live: "Live", connecting: "Connecting…", lost: "Connection lost. Trying again…" };

/** Draws the column into the fixed places of the page. */
export function renderSidebar() {
  const { state } = ui;
  document.getElementById("workspace-name").textContent = state.team.name;
  document.title = `${isHome() ? state.bot.name : titleOf(state.channels.find((channel) => channel.id === ui.channel))} · ${state.team.name}`;
  renderPeople(state);
  markRead(state);
  reconcile(document.getElementById("channels"), state.channels.map(channelItem));
  reconcile(document.getElementById("apps"), [{ key: "home", hash: digest(`${isHome()}${state.bot.name}`), build: homeItem }]);
}

/** Says whether updates arrive; works without any state. */
export function renderLive() {
  const node = document.getElementById("live");
  if (node.dataset.live === ui.live) return;
  node.dataset.live = ui.live;
  node.textContent = LIVE[ui.live];
}

function renderPeople(state) {
  const select = document.getElementById("me");
  const hash = digest(JSON.stringify(state.users));
  if (select.dataset.hash !== hash) {
    select.dataset.hash = hash;
    select.replaceChildren(...state.users.map((user) => h("option", { value: user.id }, [user.real_name || user.name, standing(user) ? ` (${standing(user)})` : ""].join(""))));
  }
  select.value = ui.user;
  const me = person(ui.user);
  const face = document.getElementById("my-face");
  if (me && face.dataset.user !== me.id) {
    face.dataset.user = me.id;
    face.replaceChildren(avatar(me.real_name || me.name, false));
  }
}

/** Lets the switcher choose the person. */
export function listenToSwitcher() {
  document.getElementById("me").addEventListener("change", async (event) => {
    navigate({ user: event.target.value });
    if (isHome()) await openHome();
  });
}

function readMarks() {
  try {
    return JSON.parse(sessionStorage.getItem(STORE)) ?? {};
  } catch {
    return {};
  }
}

const newest = (channel) => channel.messages.reduce((latest, message) => Math.max(latest, Number(message.ts)), 0);

function markRead(state) {
  const channel = state.channels.find((one) => one.id === ui.channel);
  if (!channel || document.visibilityState === "hidden") return;
  const marks = readMarks();
  const key = `${ui.user}/${channel.id}`;
  if (marks[key] === newest(channel)) return;
  marks[key] = newest(channel);
  sessionStorage.setItem(STORE, JSON.stringify(marks));
}

function unread(channel) {
  const mark = readMarks()[`${ui.user}/${channel.id}`] ?? 0;
  return channel.messages.filter((message) => Number(message.ts) > mark && message.user !== ui.user).length;
}

function channelItem(channel) {
  const selected = channel.id === ui.channel;
  const count = selected ? 0 : unread(channel);
  return {
    key: channel.id,
    hash: digest(JSON.stringify([channel.name, channel.is_archived, selected, count])),
    build: () => h("li", {}, h("button", {
      type: "button", class: `place${count ? " unread" : ""}`, "data-focus": channel.id, "data-testid": `channel-${channel.name}`, "aria-current": selected ? "page" : null,
      on: { click: () => go({ channel: channel.id, thread: null }) },
    }, h("span", { class: "sign", "aria-hidden": "true" }, channel.is_im ? "@" : "#"), h("span", { class: "place-name" }, channel.name), channel.is_archived ? h("small", {}, "archived") : null,
    count ? h("span", { class: "count", "aria-label": `${count} unread` }, String(count)) : null)),
  };
}

function homeItem() {
  return h("li", {}, h("button", { type: "button", class: "place", "data-focus": "home", "data-testid": "app-home", "aria-current": isHome() ? "page" : null, on: { click: openHome } },
    avatar(ui.state.bot.name, true, true), h("span", { class: "place-name" }, ui.state.bot.name), h("small", {}, "App Home")));
}

async function openHome() {
  go({ channel: "home", thread: null });
  const result = await post("/ui/home", {});
  if (!result.ok) showBanner(result.error);
}

function go(place) {
  document.body.classList.remove("sidebar-open");
  navigate(place);
}
