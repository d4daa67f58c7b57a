/** The page: one room of the user's rooms, built on the client library. */

import { Actions } from './actions.js';
import { Composer } from './composer.js';
import { Conversation } from './conversation.js';
import { Diffroom } from './diffroom.js';
import { $, paintAvatar } from './elements.js';
import { PeopleView } from './people.js';
import { Sidebar } from './sidebar.js';
import { Switcher } from './switcher.js';

const KEPT_ROOMS = 6; // whose messages stay when one goes to another
const PING_EVERY = 10_000; // ms
const SLOW = 500; // ms of latency that a person in a conversation can feel
const SPOKEN_EVERY = 2_000; // ms: a busy room must not talk over a person who listens

const kept = storage('localStorage');
const tab = storage('sessionStorage'); // a reloaded page keeps its user and its unsent messages
const query = new URLSearchParams(location.search);

/** Returns the room of an address. */
function roomOf(query) {
  const room = query.get('room') ?? '';
  return /^(?!\.{1,2}$)[\w.-]{1,64}$/.test(room) ? room : 'lobby';
}

/** Takes a token from the fragment, which browsers send to no server, and removes it from the address bar at once. */
const brought = new URLSearchParams(location.hash.slice(1)).get('token');
if (brought) {
  tab.set('token', brought);
  history.replaceState(null, '', location.pathname + location.search);
}
addEventListener('hashchange', () => location.reload());

let name = kept.get('name') ?? '';
let chat;
let rooms; // the list of the user's rooms
let here; // the room that is shown
const conversations = new Map(); // the last rooms, by name: the one that was shown last is the last
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

// The room that is shown

const page = {
  chat: () => chat,
  me: () => name,
  kept,
  tab,
  onUnseen: showUnseen,
  onArrived: speak,
  onPeople: (said) => people.take(said),
  onMiss: (error) => people.miss(error),
  onStanding: (standing) => composer.stand(standing),
  onSaid: (time) => composer.said(time),
  onError: complain,
  onSettled: () => sidebar.redraw(),
  hint: (text) => composer.hint(text),
};

const people = new PeopleView({ list: () => here.members, me: () => name, kept, onPeople: tellPeople });

function tellPeople(all) {
  here.view.readBy(all);
  const isMember = sidebar.get(here.name);
  if (!isMember && here.unread.readElsewhere(all.find(({ id }) => id === name)?.read)) here.view.redraw();
}

const composer = new Composer({
  kept: tab,
  chat: () => chat,
  limits: () => limits,
  onUp: () => actions.select(),
  onSaid: () => {
    here.unread.said();
    here.view.toEnd();
  },
});

const actions = new Actions({
  get name() {
    return here.name;
  },
  get view() {
    return here.view;
  },
  me: () => name,
  chat: () => chat,
  list: () => here.list,
  composer,
});

function enter() {
  const url = new URL('.', location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const token = tab.get('token');
  chat = new Diffroom({ url: url.href, ...(token ? { token } : { user: name }), onState: showState });
  rooms = chat.subscribe('me/rooms', { onChange: takeRooms, onError: missRooms });
  here.follow();
}

/** Shows another room, on the same connection. */
function open(room, linked) {
  if (room === here?.name) return;
  here?.leave();
  here = conversations.get(room) ?? new Conversation(room, page, linked);
  conversations.delete(room);
  conversations.set(room, here);
  if (conversations.size > KEPT_ROOMS) forget(conversations.keys().next().value);
  $('room-name').textContent = room;
  $('name-room').textContent = `#${room}`;
  if (chat?.state === 'online') showState({ state: 'online' }); // it told of the other room
  composer.enter(room, here.standing);
  here.show();
  people.enter(here.members?.snapshot());
  remember(room);
  sidebar.redraw();
  showMembership();
}

function forget(room) {
  conversations.get(room).end();
  conversations.delete(room);
}

/** Shows a room because the user has asked for it. */
function goTo(room) {
  $('menu').hidePopover();
  const wasDrawn = sidebar.withdraw();
  if (room !== here.name) history.pushState(null, '', `?room=${encodeURIComponent(room)}`);
  const row = sidebar.get(room);
  $('spoken').textContent = `Room ${room}${row?.unread ? `, ${row.unread} unread` : ''}`;
  open(room);
  // On a phone, the field would bring the keyboard up.
  if (wasDrawn) $('scroller').focus({ preventScroll: true });
  else composer.focus();
}

addEventListener('popstate', () => {
  sidebar.withdraw();
  open(roomOf(new URLSearchParams(location.search)));
});
addEventListener('pagehide', () => here?.unread.keep());

/** Shows that the server does not let the user read the room, or no longer, and how to come back. */
function complain({ error, message }) {
  if (error === 'diverged') return;
  showState({ state: 'stopped', reason: message });
  $('state-button').textContent = 'Join again';
  $('state-button').onclick = rejoin;
}

function rejoin() {
  showState({ state: 'online' });
  here.rejoin();
}

let unseen = 0;
let unreadElsewhere = 0;

function showUnseen(rows, isFar) {
  unseen = rows;
  $('newer').hidden = !rows && !isFar;
  $('newer').textContent = rows ? `${rows.toLocaleString()} new` : 'Newest';
  showTitle();
}

function showTitle() {
  const unread = unseen + unreadElsewhere;
  document.title = `${unread ? `(${unread}) ` : ''}#${here.name} · Diffroom`;
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
  if (state === 'waiting') here.unread.leave();
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
  here.view.toEnd();
  composer.focus();
});

// Rooms

const sidebar = new Sidebar({ list: () => rooms, me: () => name, shown: () => here.name, unreadOf, onOpen: goTo, onJoin: (room) => change('join', room), onTotal: showTotal, kept });
const switcher = new Switcher({ rooms: offered, onOpen: goTo });
page.rooms = sidebar;

function takeRooms(said) {
  sidebar.take(said);
  showMembership();
  here.land();
}

function missRooms(error) {
  sidebar.miss(error);
  showMembership();
  here.land();
}

/** What one looks at has no badge: it is being read. */
function unreadOf(row) {
  const isRead = row.id === here.name ? !document.hidden : conversations.get(row.id)?.isSettling(row);
  return isRead ? 0 : row.unread;
}

function showTotal(unread) {
  unreadElsewhere = unread;
  $('sidebar-count').hidden = !unread;
  $('sidebar-count').textContent = unread.toLocaleString();
  $('sidebar-button').ariaLabel = unread ? `Your rooms, ${unread} unread` : 'Your rooms';
  showTitle();
}

/** The menu of the room has one of joining and leaving. */
function showMembership() {
  const isMember = Boolean(sidebar.get(here.name));
  $('membership').hidden = !sidebar.hasList;
  $('membership').textContent = `${isMember ? 'Leave' : 'Join'} #${here.name}`;
  $('membership').toggleAttribute('data-member', isMember);
}

function change(membership, room) {
  chat[membership](room).catch(({ message }) => composer.hint(message));
}

$('membership').addEventListener('click', () => {
  $('menu').hidePopover();
  change(sidebar.get(here.name) ? 'leave' : 'join', here.name);
  composer.focus();
});

const visited = () => (kept.get('rooms') ?? '').split(' ').filter(Boolean);

function remember(room) {
  kept.set('rooms', [...new Set([room, ...visited()])].slice(0, 12).join(' '));
}

/** The rooms to switch to: those with something unread, then the others, newest first, then those that one has visited. */
function offered() {
  const mine = sidebar.rows.map((row) => ({ id: row.id, unread: unreadOf(row), isMine: true }));
  const guest = visited().filter((room) => !sidebar.get(room)).map((id) => ({ id }));
  return [...mine.filter(({ unread }) => unread), ...mine.filter(({ unread }) => !unread), ...guest].filter(({ id }) => id !== here.name);
}

$('find').addEventListener('click', () => switcher.toggle());
if (/Mac|iP/.test(navigator.platform)) $('find').querySelector('kbd').textContent = '⌘K';
addEventListener('keydown', (event) => {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
  const isSwitch = key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey;
  const by = altKey && !ctrlKey && !metaKey && { ArrowUp: -1, ArrowDown: 1 }[key];
  if ((!isSwitch && !by) || document.querySelector('dialog[open]:not(#switcher)')) return;
  event.preventDefault();
  if (isSwitch) return switcher.toggle();
  const room = sidebar.beside(by, shiftKey);
  if (room) goTo(room);
});

$('day-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  $('menu').hidePopover();
  const time = new Date(`${$('day-input').value}T00:00`).getTime();
  if (!(await here.view.goTo({ time: Math.max(time, 0) }))) composer.hint('That day cannot be shown now.');
});

// The name

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

open(roomOf(query), query.get('message'));
if (name || tab.get('token')) start(name || '…');
else askName();
