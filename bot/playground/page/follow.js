/** The page follows the person: their own words and answers come into view, other news is counted, and a toast says what is elsewhere. */

import { h } from "./dom.js";
import { currentChannel, navigate, titleOf, ui } from "./state.js";

const NEAR_PX = 60;
const TOAST_MS = 8000;
const panes = new WeakMap();
let newest = null;

/** Where a pane's end is: its bottom, or the top of the newest message if that has more than fits. */
function endOf(scroller) {
  const bottom = scroller.scrollHeight - scroller.clientHeight;
  const last = panes.get(scroller).list.lastElementChild;
  if (!last || last.offsetHeight < scroller.clientHeight) return bottom;
  return Math.min(bottom, scroller.scrollTop + last.getBoundingClientRect().top - scroller.getBoundingClientRect().top);
}

const isAtEnd = (scroller) => scroller.scrollTop > endOf(scroller) - NEAR_PX;
const isReply = (message) => Boolean(message.thread_ts && message.thread_ts !== message.ts);
const expecting = () => performance.now() < ui.expecting;

/** Keeps the end of a pane in view while it is there, whatever grows later: a picture, a neighbour, the window. */
export function followEnd(scroller, list) {
  const pill = h("button", { type: "button", class: "pill", hidden: true, "data-testid": "pill", on: { click: () => toEnd(scroller) } });
  scroller.after(pill);
  panes.set(scroller, { list, atEnd: true, last: 0, news: 0, pill });
  scroller.addEventListener("scroll", () => {
    const pane = panes.get(scroller);
    pane.atEnd = isAtEnd(scroller);
    if (pane.atEnd) count(pane, 0);
  });
  const watch = new ResizeObserver(() => panes.get(scroller).atEnd && keepEnd(scroller));
  watch.observe(scroller);
  watch.observe(list);
}

/** Follows what grew, but does not take a person back who has read on in a long message. */
function keepEnd(scroller) {
  scroller.scrollTop = Math.max(scroller.scrollTop, endOf(scroller));
}

function toEnd(scroller) {
  scroller.scrollTop = endOf(scroller);
  panes.get(scroller).atEnd = true;
  count(panes.get(scroller), 0);
}

/** Shows one message of a pane; the pane leaves its end now, not at the scroll event, or a redraw before it would scroll back. */
export function bringIntoView(scroller, message) {
  message.scrollIntoView({ block: "center" });
  panes.get(scroller).atEnd = isAtEnd(scroller);
}

function count(pane, news) {
  pane.news = news;
  pane.pill.hidden = news === 0;
  pane.pill.textContent = `${news} new ↓`;
}

/** After a pane was drawn: to its end when it is fresh, when it was there, or when the news is the person's own. */
export function followNews(scroller, messages, fresh) {
  const pane = panes.get(scroller);
  const news = fresh ? [] : messages.filter((message) => Number(message.ts) > pane.last);
  pane.last = Math.max(fresh ? 0 : pane.last, ...messages.map((message) => Number(message.ts)));
  if (pane.atEnd && !fresh && news.length === 0) keepEnd(scroller);
  else if (fresh || pane.atEnd || news.some((message) => message.user === ui.user || message.ephemeral || expecting())) toEnd(scroller);
  else count(pane, pane.news + news.length);
}

/** Tells where an answer to the person's own click or command has appeared, if it is not in view. */
export function tellElsewhere() {
  const all = [...ui.state.channels.flatMap((channel) => channel.messages.map((message) => ({ ...message, channel: channel.id }))), ...(ui.state.ephemerals ?? [])];
  const before = newest;
  newest = Math.max(0, ...all.map((message) => Number(message.ts)));
  if (before === null || !expecting()) return;
  const away = all.find((message) => Number(message.ts) > before && message.user !== ui.user && !inView(message));
  if (away) toast(away);
}

const inView = (message) => message.channel === ui.channel && (!isReply(message) || message.broadcast || message.thread_ts === ui.thread);

function toast(message) {
  document.querySelector(".toast")?.remove();
  const channel = ui.state.channels.find((one) => one.id === message.channel);
  const show = h("button", { type: "button", class: "text-button" }, "Show");
  const node = h("div", { class: "toast", role: "status", "data-testid": "toast" }, `${ui.state.bot.name} answered in ${isReply(message) ? "the thread in " : ""}${channel ? titleOf(channel) : ""}.`, show);
  show.addEventListener("click", () => {
    node.remove();
    navigate({ channel: message.channel, thread: isReply(message) ? message.thread_ts : currentChannel() && ui.thread });
  });
  document.body.append(node);
  setTimeout(() => node.remove(), TOAST_MS);
}
