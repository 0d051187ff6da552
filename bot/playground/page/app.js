/** The page: wires state to the sidebar, the channel, the thread, App Home, the frame and the modals. */

import { digest, h } from "./dom.js";
import { renderBlocks } from "./blocks.js";
import { makeComposer } from "./composer.js";
import { bringIntoView, followEnd, tellElsewhere } from "./follow.js";
import { listenToFrame, renderFrame } from "./frame.js";
import { actor, channelMessages, renderMessages, showOlder, threadMessages } from "./messages.js";
import { renderModals } from "./modal.js";
import { listenToSwitcher, renderLive, renderSidebar } from "./sidebar.js";
import { currentChannel, isHome, listen, names, navigate, onChange, post, readAddress, refresh, titleOf, ui } from "./state.js";

const place = (id) => document.getElementById(id);

const channelComposer = makeComposer(place("channel-composer"), {
  testid: "composer", label: () => `Message ${titleOf(currentChannel())}, or / for commands`, inThread: () => null, key: () => `${ui.user}/${ui.channel}`,
});
const threadComposer = makeComposer(place("thread-composer"), {
  testid: "thread-composer", label: () => "Reply in the thread", inThread: () => ui.thread, key: () => `${ui.user}/${ui.channel}/${ui.thread}`,
});

function render() {
  renderLive();
  if (!ui.state) {
    place("loading").textContent = ui.live === "lost" ? "The playground cannot be reached. Is it still running? This page tries again by itself." : "Loading the workspace…";
    return;
  }
  document.body.classList.add("loaded");
  renderSidebar();
  const opening = layOut();
  place("channel").hidden = isHome();
  place("home").hidden = !isHome();
  if (isHome()) renderHome(ui.state.home);
  else renderChannel();
  if (!place("thread").hidden) renderThread(opening);
  renderModals(ui.state.views ?? []);
  tellElsewhere();
  renderFrame();
  if (ui.jump) jump();
}

/** Brings the message of a permalink into view, once. */
function jump() {
  const pane = ui.thread && ui.thread !== ui.jump ? "thread" : "messages";
  const target = place(pane).querySelector(`[data-testid="message-${CSS.escape(ui.jump)}"]`);
  ui.jump = null;
  if (!target) return;
  target.classList.add("changed");
  bringIntoView(place(`${pane}-scroll`), target);
}

function renderChannel() {
  const channel = currentChannel();
  place("channel-title").textContent = channel ? `${channel.is_im ? "@" : "#"} ${channel.name}` : "No channels";
  place("channel-note").textContent = channel?.is_archived ? "Archived: nobody can post here" : "";
  if (!channel) return;
  const { messages, older } = channelMessages();
  place("older").hidden = older === 0;
  place("older").textContent = `Show older messages (${older})`;
  place("empty").hidden = messages.length > 0;
  renderMessages(place("messages"), place("messages-scroll"), messages, { key: `${ui.user}/${channel.id}`, thread: false });
  channelComposer();
}

/** Gives the thread its column before anything is drawn, so that scrolling to the end meets the final widths. */
function layOut() {
  const shown = Boolean(ui.thread && !isHome() && currentChannel());
  const opening = shown && place("thread").hidden;
  place("thread").hidden = !shown;
  document.body.classList.toggle("with-thread", shown);
  return opening;
}

function renderThread(opening) {
  const messages = threadMessages();
  place("thread-channel").textContent = titleOf(currentChannel());
  place("thread-gone").hidden = messages.some((message) => message.ts === ui.thread);
  renderMessages(place("thread-messages"), place("thread-scroll"), messages, { key: `${ui.user}/${ui.channel}/${ui.thread}`, thread: true });
  threadComposer();
  if (opening && document.activeElement?.dataset.focus?.startsWith("replies-")) place("thread").querySelector("textarea").focus();
}

function renderHome(home) {
  place("home-title").textContent = ui.state.bot.name;
  const node = place("home-blocks");
  const hash = digest(JSON.stringify([home, ui.namesKey]));
  if (node.dataset.hash === hash) return;
  node.dataset.hash = hash;
  const focused = node.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  const ctx = { names, surface: "home", act: actor({ channel: null, ts: null, view_id: home?.id ?? null }) };
  node.replaceChildren(...(home ? renderBlocks(home.blocks, ctx) : [h("p", { class: "quiet" }, "The app has not published its home for you yet.")]));
  if (focused) node.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
}

function closeThread() {
  const opener = document.querySelector(`[data-focus="replies-${CSS.escape(ui.thread ?? "")}"]`);
  navigate({ thread: null });
  opener?.focus();
}

function listenToPage() {
  listenToSwitcher();
  place("thread-close").addEventListener("click", closeThread);
  place("thread").addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) closeThread();
  });
  place("sidebar-toggle").addEventListener("click", () => {
    const open = document.body.classList.toggle("sidebar-open");
    place("sidebar-toggle").setAttribute("aria-expanded", String(open));
  });
  place("main").addEventListener("click", () => document.body.classList.remove("sidebar-open"));
  place("older").addEventListener("click", () => {
    const scroller = place("messages-scroll");
    const fromEnd = scroller.scrollHeight - scroller.scrollTop;
    showOlder();
    scroller.scrollTop = scroller.scrollHeight - fromEnd;
  });
  listenToFrame();
  followEnd(place("messages-scroll"), place("messages"));
  followEnd(place("thread-scroll"), place("thread-messages"));
  document.addEventListener("visibilitychange", () => ui.state && render());
}

/** Draws at every change, but never between press and release: a click on a message that is being redrawn would be lost. */
function drawWhenReleased() {
  let pressed = false;
  let waiting = false;
  const release = () => {
    pressed = false;
    setTimeout(() => {
      if (pressed || !waiting) return;
      waiting = false;
      render();
    });
  };
  document.addEventListener("pointerdown", () => (pressed = true), true);
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, release, true);
  window.addEventListener("blur", release);
  onChange(() => (pressed ? (waiting = true) : render()));
}

readAddress();
drawWhenReleased();
listenToPage();
render();
if (isHome()) post("/ui/home", {});
refresh();
listen();
