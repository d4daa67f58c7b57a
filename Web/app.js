/** The page of one room, built on the client library. */

import { Actions } from './actions.js';
import { Composer } from './composer.js';
import { Diffroom } from './diffroom.js';
import { $, element, paintAvatar } from './elements.js';
import { MessageView } from './messages.js';
import { PeopleView } from './people.js';
import { Unread } from './unread.js';

const READ_EVERY = 1_000; // ms
const PING_EVERY = 10_000; // ms
const SLOW = 500; // ms of latency that a person in a conversation can feel
const SPOKEN_EVERY = 2_000; // ms: a busy room must not talk over a person who listens

const kept = storage('localStorage');
const tab = storage('sessionStorage'); // a reloaded page keeps its user and its unsent messages
const asked = new URLSearchParams(location.search).get('room') ?? '';
let linked = new URLSearchParams(location.search).get('message'); // until it is shown
const room = /^[\w.-]{1,64}$/.test(asked) ? asked : 'lobby';

/** Takes a token from the fragment, which browsers send to no server, and removes it from the address bar at once. */
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

/** Values kept in this browser or tab; where storage is not allowed, kept as long as the page is open. */
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

const unread = new Unread({ name: room, me: () => name, kept, tab });

const view = new MessageView(
  {
    scroller: $('scroller'),
    beginning: $('beginning'),
    joined: $('joined'),
    pending: $('pending'),
    sections: { history: $('history'), socket: $('socket') },
  },
  { list: () => list, me: () => name, onUnseen: showUnseen, onArrived: speak, onRead: tellRead, unread },
);

const people = new PeopleView({ list: () => members, me: () => name, kept, onPeople: tellPeople });

function tellPeople(all) {
  view.readBy(all);
  if (unread.readElsewhere(all.find(({ id }) => id === name)?.read)) view.redraw();
}

const composer = new Composer({
  name: room,
  kept: tab,
  chat: () => chat,
  limits: () => limits,
  onUp: () => actions.select(),
  onSaid: () => {
    unread.said();
    view.toEnd();
  },
});

const actions = new Actions({ name: room, me: () => name, chat: () => chat, list: () => list, view, composer });

function enter() {
  const url = new URL('.', location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const token = tab.get('token');
  chat = new Diffroom({ url: url.href, ...(token ? { token } : { user: name }), onState: showState });
  list = chat.subscribe(`room/${room}/messages`, { at: () => view.at(), onChange: show, onError: complain, onStanding: (standing) => composer.stand(standing) });
  for (const { text, replyTo, id } of unsaid()) chat.send(room, text, replyTo, id);
  const onChange = (said) => people.take(said);
  members = chat.subscribe(`room/${room}/members`, { onChange, onError: (error) => people.miss(error) });
}

function show(said) {
  const { more, count, revision, pending } = said.snapshot;
  keepUnsent(pending);
  const nothing = revision === undefined ? '' : `Nobody has said anything in #${room} yet.`;
  const beginning = more ? 'Older messages' : count ? `The beginning of #${room}` : nothing;
  if ($('beginning').textContent !== beginning) $('beginning').textContent = beginning;
  for (const { author, time } of said.changes.inserted) if (author === name) composer.said(time);
  view.take(said);
  if (linked) goTo(linked);
}

/** Goes to the message of the page's address, once. */
async function goTo(id) {
  linked = undefined;
  if (!(await view.goTo({ id }))) composer.hint('The message of this link is gone, or the server cannot be reached.');
}

const unsentKey = () => `unsent ${room} ${name}`;

/** The messages that were sent and not acknowledged. */
function keepUnsent(pending) {
  const said = JSON.stringify(pending.map(({ id, text, replyTo }) => ({ id, text, replyTo })));
  if (said !== (tab.get(unsentKey()) ?? '[]')) tab.set(unsentKey(), said);
}

/** The messages of an earlier page of this tab. The server knows a repeat by its id. */
function unsaid() {
  try {
    return JSON.parse(tab.get(unsentKey()) ?? '[]').filter(({ id, text }) => id && text);
  } catch {
    return []; // not ours
  }
}

/** Shows that the server does not let the user read the room, or no longer, and how to come back. */
function complain({ error, message }) {
  if (error === 'diverged') return;
  showState({ state: 'stopped', reason: message });
  $('state-button').textContent = 'Join again';
  $('state-button').onclick = rejoin;
}

function rejoin() {
  showState({ state: 'online' });
  list.rejoin();
  members.rejoin();
}

function showUnseen(rows, isFar) {
  $('newer').hidden = !rows && !isFar;
  $('newer').textContent = rows ? `${rows.toLocaleString()} new` : 'Newest';
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

/** Sends the read mark, at most once a second. */
function tellRead(revision) {
  readUpTo = revision;
  unread.read(revision);
  telling ??= setTimeout(() => {
    telling = undefined;
    unread.keep();
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
    composer.stand(); // standing is reported next if it is not the usual one
  }
  if (state === 'waiting') unread.leave();
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

/** Shows the state of the connection and its latency. */
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
  showLink(); // with the latency of the last ping
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

$('newer').addEventListener('click', () => {
  view.toEnd();
  composer.focus();
});

// Rooms and the name

function showRooms() {
  const rooms = [...new Set([room, ...(kept.get('rooms') ?? '').split(' ').filter(Boolean)])].slice(0, 12);
  kept.set('rooms', rooms.join(' '));
  $('rooms-list').replaceChildren(...rooms.map((other) => element('li', {}, element('a', { href: `?room=${encodeURIComponent(other)}`, ariaCurrent: other === room ? 'page' : null }, '#', other))));
}

$('day-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  $('rooms').hidePopover();
  const time = new Date(`${$('day-input').value}T00:00`).getTime();
  if (!(await view.goTo({ time: Math.max(time, 0) }))) composer.hint('That day cannot be shown now.');
});

$('rooms-form').addEventListener('submit', (event) => {
  event.preventDefault();
  location.search = `?room=${encodeURIComponent($('rooms-input').value.trim())}`;
});

/** Asks for a name, or for a token where a token tells the name. */
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

/** A page without a name has no room to show behind the question. */
$('name-dialog').addEventListener('cancel', (event) => {
  if (!chat || chat.state === 'stopped') event.preventDefault();
});
$('name-form').addEventListener('submit', (event) => {
  event.preventDefault();
  if (!$('token-input').disabled) {
    tab.set('token', $('token-input').value.trim());
    return location.reload();
  }
  const given = $('name-input').value.trim().normalize();
  if (!given) return;
  if (new TextEncoder().encode(given).length > 64) return askName('A name has at most 64 bytes.');
  kept.set('name', given);
  if (chat) return location.reload();
  $('name-dialog').close();
  start(given);
});
$('me').addEventListener('click', () => askName());

/** Takes the user's name from the server, which tells it where there is a token. */
function call(given) {
  name = given;
  $('me').querySelector('bdi').textContent = name;
  paintAvatar($('me').querySelector('.avatar'), name);
}

function start(given) {
  call(given);
  enter();
  composer.focus();
}

$('room-name').textContent = room;
$('name-room').textContent = `#${room}`;
showUnseen(0);
showRooms();
if (name || tab.get('token')) start(name || '…');
else askName();
