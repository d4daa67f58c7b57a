/** The page: one room, on the client library. */

import { Diffroom } from './diffroom.js';
import { element, messageView, paintAvatar } from './messages.js';
import { peopleView } from './people.js';

const EMOJI = ['👍', '❤️', '😂', '🎉', '😮', '😢', '🙏', '👀'];
const READ_EVERY = 1_000; // ms
const PING_EVERY = 10_000; // ms
const SLOW = 500; // ms that somebody who talks can feel
const SPOKEN_EVERY = 2_000; // ms: a busy room must not talk over whoever reads by ear

const $ = (id) => document.getElementById(id);
const kept = storage('localStorage');
const tab = storage('sessionStorage'); // a page that is loaded again goes on with what it said, as who it was
const asked = new URLSearchParams(location.search).get('room') ?? '';
const room = /^[\w.-]{1,64}$/.test(asked) ? asked : 'lobby';

/** A token comes in the fragment, which browsers send to nobody; it goes out of the address bar at once. */
const brought = new URLSearchParams(location.hash.slice(1)).get('token');
if (brought) {
  tab.set('token', brought);
  history.replaceState(null, '', location.pathname + location.search);
}
addEventListener('hashchange', () => location.reload());

let name = kept.get('name') ?? '';
let chat;
let list;
let members;
let limits = {};

/** Things kept in this browser or tab; where nothing may be kept, for as long as the page is open. */
function storage(area) {
  const here = new Map();
  const attempt = (action) => {
    try {
      return action();
    } catch {
      return undefined;
    }
  };
  return {
    get: (key) => attempt(() => window[area].getItem(`diffroom.${key}`)) ?? here.get(key),
    set(key, value) {
      here.set(key, value);
      attempt(() => window[area].setItem(`diffroom.${key}`, value));
    },
  };
}

// The conversation

const view = messageView(
  {
    scroller: $('scroller'),
    beginning: $('beginning'),
    joined: $('joined'),
    pending: $('pending'),
    sections: { history: $('history'), socket: $('socket') },
  },
  { list: () => list, me: () => name, onUnseen: showUnseen, onArrived: speak, onRead: tellRead },
);

const people = peopleView({ list: () => members, me: () => name, kept, onPeople: (all) => view.readBy(all) });

function enter() {
  const url = new URL('.', location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const token = tab.get('token');
  chat = new Diffroom({ url: url.href, ...(token ? { token } : { user: name }), onState: showState });
  list = chat.subscribe(`room/${room}/messages`, { onChange: show, onError: complain, onStanding: stand });
  for (const { text, replyTo, id } of unsaid()) chat.send(room, text, replyTo, id);
  members = chat.subscribe(`room/${room}/members`, { onChange: people.take, onError: people.miss });
}

function show(said) {
  const { more, count, revision, pending } = said.snapshot;
  keepUnsent(pending);
  const nothing = revision === undefined ? '' : `Nobody has said anything in #${room} yet.`;
  const beginning = more ? 'Older messages' : count ? `The beginning of #${room}` : nothing;
  if ($('beginning').textContent !== beginning) $('beginning').textContent = beginning;
  view.take(said);
}

const unsentKey = () => `unsent ${room} ${name}`;

/** What was said and not acknowledged. */
function keepUnsent(pending) {
  const said = JSON.stringify(pending.map(({ id, text, replyTo }) => ({ id, text, replyTo })));
  if (said !== (tab.get(unsentKey()) ?? '[]')) tab.set(unsentKey(), said);
}

/** What an earlier page of this tab kept: the server knows a repeat by its id. */
const unsaid = () => JSON.parse(tab.get(unsentKey()) ?? '[]');

let moderates = false;

function stand({ role }) {
  moderates = role === 'moderate' || role === 'own';
}

const mayDelete = ({ author }) => moderates || author === name;

/** Also when the server ends the list: whoever was put out is told so. */
function complain({ error, message }) {
  if (error !== 'diverged') showState({ state: 'stopped', reason: message });
}

function showUnseen(rows) {
  $('newer').hidden = !rows;
  $('newer').textContent = `${rows} new`;
  document.title = `${rows ? `(${rows}) ` : ''}#${room} · Diffroom`;
}

let last;
let unspoken = 0;
let speaking;

/** Reads messages out, many at once as one sentence. */
function speak(rows) {
  last = rows.at(-1);
  unspoken += rows.length;
  speaking ??= setTimeout(() => {
    const text = `${last.author}: ${last.text.slice(0, 300)}`;
    $('spoken').textContent = unspoken > 1 ? `${unspoken} new messages, the last from ${text}` : text;
    [unspoken, speaking] = [0, undefined];
  }, SPOKEN_EVERY);
}

let readUpTo;
let telling;

/** What I have read, once a second at most. */
function tellRead(revision) {
  readUpTo = revision;
  telling ??= setTimeout(() => {
    telling = undefined;
    chat.read(room, readUpTo);
  }, READ_EVERY);
}

// The connection

let countdown;

function showState({ state, delay, reason, error, welcome }) {
  clearInterval(countdown);
  document.body.dataset.state = state;
  if (welcome) {
    limits = welcome.limits ?? {};
    call(welcome.user);
    kept.set('name', name);
  }
  showLink();
  if (state === 'online') return ($('state').hidden = true);
  if (state === 'stopped' && error) return askName(reason, error === 'unauthorized' || undefined);
  $('state').hidden = false;
  const button = $('state-button');
  button.hidden = state === 'connecting';
  button.textContent = state === 'stopped' ? 'Connect' : 'Now';
  button.onclick = () => (state === 'stopped' ? chat.connect() : chat.hurry());
  if (state === 'waiting') countDown(delay);
  else $('state-text').textContent = state === 'stopped' ? `Disconnected${reason ? `: ${reason}` : ''}` : 'Connecting…';
}

/** Whether there is a connection, and how long it takes. */
function showLink() {
  const state = document.body.dataset.state;
  const latency = chat?.latency;
  const isOnline = state === 'online' && latency !== undefined;
  const took = latency < 1000 ? `${Math.max(Math.round(latency), 1)} ms` : `${(latency / 1000).toFixed(1)} s`;
  $('link-text').textContent = isOnline ? took : { waiting: 'offline', stopped: 'offline' }[state] ?? 'connecting';
  $('link').title = isOnline ? `Connected; the server answers in ${took}` : 'Not connected';
  $('link').toggleAttribute('data-slow', isOnline && latency >= SLOW);
}

setInterval(() => {
  if (document.hidden || document.body.dataset.state !== 'online') return;
  showLink(); // what the last ping took
  chat.hurry();
}, PING_EVERY);

function countDown(delay) {
  const until = Date.now() + delay;
  const tell = () => {
    const seconds = Math.max(Math.ceil((until - Date.now()) / 1000), 0);
    const why = navigator.onLine ? 'Connection lost' : 'You are offline';
    $('state-text').textContent = seconds > 1 ? `${why} – trying again in ${seconds} s` : `${why} – trying again`;
  };
  tell();
  countdown = setInterval(tell, 1000);
}

// Writing

const text = $('text');
let mode = {}; // {replyTo} or {edit}, an id

function setMode(next, label) {
  mode = next;
  $('mode').hidden = !label;
  $('mode-text').textContent = label ?? '';
  hint();
  text.focus();
}

function hint(message) {
  $('hint').hidden = !message;
  $('hint').textContent = message ?? '';
}

function submit() {
  const said = text.value.trim();
  if (!said) return;
  const size = new TextEncoder().encode(said).length;
  if (size > (limits.text ?? Infinity)) return hint(`Too long by ${size - limits.text} bytes: ${limits.text} are the limit.`);
  if (mode.edit) chat.edit(room, mode.edit, said).catch(({ message }) => hint(message));
  else chat.send(room, said, mode.replyTo);
  if (!mode.edit) view.toEnd();
  text.value = '';
  chat.typing(room, false);
  grow();
  setMode({});
}

/** Browsers without `field-sizing` get the height from here. */
function grow() {
  if (CSS.supports('field-sizing', 'content')) return;
  text.style.height = 'auto';
  text.style.height = `${text.scrollHeight}px`;
}

$('composer').addEventListener('submit', (event) => {
  event.preventDefault();
  submit();
});
text.addEventListener('input', () => {
  grow();
  chat?.typing(room, text.value.trim() !== '');
});
text.addEventListener('keydown', (event) => {
  if (event.isComposing) return;
  if (event.key === 'Enter' && !event.shiftKey) {
    event.preventDefault();
    submit();
  } else if (event.key === 'ArrowUp' && !text.value) {
    event.preventDefault();
    select(view.end('last'));
  } else if (event.key === 'Escape') cancel();
});
$('mode-cancel').addEventListener('click', cancel);

function cancel() {
  if (mode.edit) text.value = '';
  if (!text.value) chat.typing(room, false);
  setMode({});
}

// Acting on a message

const acts = {
  reply: ({ id, author, text }) => setMode({ replyTo: id }, `Reply to ${author}: ${text.slice(0, 100)}`),
  edit({ id, author, text: said }) {
    if (author !== name) return;
    text.value = said;
    setMode({ edit: id }, 'Edit your message');
    grow();
  },
  delete(row) {
    if (mayDelete(row)) confirmDelete(row);
  },
  react: (row, node) => pick(row, node),
  quoted: ({ replyTo }) => select(view.node(replyTo)),
  chip: (row, node, { emoji }) => toggle(row, emoji),
  again({ id, text: said, replyTo }) {
    chat.discard(id);
    text.value = said;
    setMode({ replyTo }, replyTo && 'Reply');
  },
  discard: ({ id }) => chat.discard(id),
};

function act(what, node, dataset = {}) {
  const { id } = node.dataset;
  const row = list.get(id) ?? list.snapshot().pending.find((row) => row.id === id);
  if (row) acts[what](row, node, dataset);
}

function toggle({ id, reactions = [] }, emoji) {
  const on = !reactions.some((reaction) => reaction.emoji === emoji && reaction.users.includes(name));
  chat.react(room, id, emoji, on).catch(({ message }) => hint(message));
}

function select(node) {
  if (!node) return;
  node.focus({ preventScroll: true });
  node.scrollIntoView({ block: 'nearest' });
}

const tools = $('tools');

function showTools(node) {
  if (tools.parentNode === node || node.dataset.state) return;
  const row = list.get(node.dataset.id);
  if (!row) return;
  tools.hidden = false;
  tools.querySelector('[data-act=edit]').hidden = row.author !== name;
  tools.querySelector('[data-act=delete]').hidden = !mayDelete(row);
  node.append(tools);
}

const rowOf = (target) => target.closest?.('.row');
const scroller = $('scroller');
scroller.addEventListener('pointerover', ({ target, pointerType }) => rowOf(target) && pointerType === 'mouse' && showTools(rowOf(target)));
scroller.addEventListener('focusin', ({ target }) => rowOf(target) && showTools(rowOf(target)));
scroller.addEventListener('click', ({ target }) => {
  const node = rowOf(target);
  const button = target.closest('button');
  if (node && button) act(button.dataset.act, node, button.dataset);
});

const keys = { r: 'reply', e: 'edit', d: 'delete', Delete: 'delete', '+': 'react' };
const steps = { ArrowUp: -1, ArrowDown: 1 };

scroller.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const node = rowOf(event.target);
  if (event.key === 'Escape') text.focus();
  else if (event.key in steps) walk(node, steps[event.key]);
  else if (event.key === 'Home') select(view.end('first'));
  else if (event.key === 'End') select(view.end('last'));
  else if (node && keys[event.key]) act(keys[event.key], node);
  else return;
  event.preventDefault();
});

function walk(node, by) {
  const next = view.walk(node?.dataset.id, by);
  if (next) select(next);
  else if (by > 0) text.focus();
}

$('newer').addEventListener('click', () => {
  view.toEnd();
  text.focus();
});

// Reactions

const picker = $('picker');
let picked; // {row, node}

picker.append(...EMOJI.map((emoji) => element('button', { type: 'button', ariaLabel: emoji, dataset: { emoji } }, emoji)));

function pick(row, node) {
  picked = { row, node };
  node.dataset.picked = '';
  picker.showPopover();
  const anchor = (node.contains(tools) ? tools : node).getBoundingClientRect();
  const { width, height } = picker.getBoundingClientRect();
  const top = anchor.top - height - 6 > 0 ? anchor.top - height - 6 : anchor.bottom + 6;
  picker.style.top = `${top}px`;
  picker.style.left = `${Math.max(8, Math.min(anchor.right - width, innerWidth - width - 8))}px`;
  picker.firstChild.focus();
}

picker.addEventListener('click', ({ target }) => {
  const emoji = target.closest('button')?.dataset.emoji;
  if (!emoji) return;
  toggle(list.get(picked.row.id) ?? picked.row, emoji);
  picker.hidePopover();
});
picker.addEventListener('toggle', ({ newState }) => {
  if (newState !== 'closed') return;
  delete picked.node.dataset.picked;
  picked.node.focus({ preventScroll: true });
});
picker.addEventListener('keydown', ({ key, target }) => {
  if (key === 'ArrowRight') (target.nextSibling ?? picker.firstChild).focus();
  if (key === 'ArrowLeft') (target.previousSibling ?? picker.lastChild).focus();
});

// Deleting

function confirmDelete({ id, text: said }) {
  const dialog = $('delete-dialog');
  $('delete-text').textContent = said.slice(0, 300);
  $('delete-form').onsubmit = (event) => {
    event.preventDefault();
    dialog.close();
    chat.delete(room, id).catch(({ message }) => hint(message));
  };
  $('delete-no').onclick = () => dialog.close();
  dialog.showModal();
  $('delete-form').querySelector('[type=submit]').focus();
}

// Rooms and the name

function showRooms() {
  const rooms = [...new Set([room, ...(kept.get('rooms') ?? '').split(' ').filter(Boolean)])].slice(0, 12);
  kept.set('rooms', rooms.join(' '));
  $('rooms-list').replaceChildren(...rooms.map((other) => element('li', {}, element('a', { href: `?room=${encodeURIComponent(other)}`, ariaCurrent: other === room ? 'page' : null }, '#', other))));
}

$('rooms-form').addEventListener('submit', (event) => {
  event.preventDefault();
  location.search = `?room=${encodeURIComponent($('rooms-input').value.trim())}`;
});

/** Asks for a name, or for a token where only that tells who one is. */
function askName(problem, wantsToken = Boolean(tab.get('token'))) {
  $('name-title').textContent = wantsToken ? 'Your token, please' : 'What shall people call you?';
  for (const [id, on] of [['name-input', !wantsToken], ['token-input', wantsToken]]) {
    $(id).hidden = $(id).disabled = !on;
  }
  $('name-error').hidden = !problem;
  $('name-error').textContent = problem ?? '';
  $('name-input').value = name;
  $('name-dialog').showModal();
  $(wantsToken ? 'token-input' : 'name-input').select();
}

/** A page without a name has nothing behind the question. */
$('name-dialog').addEventListener('cancel', (event) => {
  if (!chat || chat.state === 'stopped') event.preventDefault();
});
$('name-form').addEventListener('submit', (event) => {
  event.preventDefault();
  if (!$('token-input').disabled) {
    tab.set('token', $('token-input').value.trim());
    return location.reload();
  }
  const given = $('name-input').value.trim();
  if (!given) return;
  if (new TextEncoder().encode(given).length > 64) return askName('A name has at most 64 bytes.');
  kept.set('name', given);
  if (chat) return location.reload();
  $('name-dialog').close();
  start(given);
});
$('me').addEventListener('click', () => askName());

/** With a token it is the server that says who this is. */
function call(given) {
  name = given;
  $('me').querySelector('bdi').textContent = name;
  paintAvatar($('me').querySelector('.avatar'), name);
}

function start(given) {
  call(given);
  enter();
  text.focus();
}

$('room-name').textContent = room;
$('name-room').textContent = `#${room}`;
text.placeholder = `Message #${room}`;
showUnseen(0);
showRooms();
if (name || tab.get('token')) start(name || '…');
else askName();
