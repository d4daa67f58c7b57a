/** The names and pictures of people, wherever the page shows them. */

import { element, initialOf, paintAvatar, titled } from './elements.js';
import { broken, showsPicture } from './pictures.js';

const LIST = 'me/people';
const PAUSE = 50; // ms in which those who come to be shown gather

const profiles = new Map(); // user name → row
const met = new Set(); // the people who were shown
let holders = new Map(); // display name → how many people have it
let page; // there is none before the first connection
let gathered = new Set(); // those who came to be shown since some were asked for
let gathering;
let heldBack = false; // whether a picture was not shown because it would have been fetched
const fetched = new Set(); // the pictures that were shown before

/**
 * Follows the profiles of the people whom the page shows; `roots()` are the trees that have them, `onChange()` when some changed.
 * `mayLoad()` is whether pictures may be fetched that were not yet: not while a room is shown to which the user is only invited.
 */
export function followFaces(chat, { roots, onChange, mayLoad }) {
  page = { chat, roots, onChange, mayLoad };
  chat.subscribe(LIST, { onChange: ({ snapshot }) => take(snapshot), onError: () => {} }); // an older server has no profiles
  chat.know(met);
}

function take({ sections }) {
  const rows = sections.flatMap(({ rows }) => rows);
  profiles.clear();
  holders = new Map();
  for (const row of rows) {
    profiles.set(row.id, row);
    holders.set(row.name, (holders.get(row.name) ?? 0) + 1);
  }
  repaint();
  page.onChange();
}

function repaint() {
  for (const root of page.roots()) for (const node of root.querySelectorAll('[data-person]')) paint(node);
}

/** Shows the pictures that were held back. */
export function trustFaces() {
  if (!heldBack || !page.mayLoad()) return;
  heldBack = false;
  repaint();
}

/** Asks for those who come to be shown, some at a time: also again, because the list lets go of who was met long ago. */
function meet(id) {
  met.add(id);
  if (profiles.has(id)) return;
  gathered.add(id);
  if (page) gathering ??= setTimeout(ask, PAUSE);
}

function ask() {
  gathering = undefined;
  page.chat.know(gathered);
  gathered = new Set();
}

/**
 * Returns what a person is called. The user name stands behind a display name that others have, too, or that is
 * another user's name, so that no user passes for another.
 */
export function called(id) {
  const { name } = profiles.get(id) ?? {};
  if (!name || name === id) return id;
  return holders.get(name) > 1 || met.has(name) ? `${name} (${id})` : name;
}

/** Returns the same with the user name wherever it is another, for where it matters who it is. */
export function calledInFull(id) {
  const name = displayName(id);
  return name && name !== id ? `${name} (${id})` : id;
}

/** Returns whether the page has shown a person. */
export const hasMet = (id) => met.has(id);

/** Returns the display name of a person, if they have one. */
export const displayName = (id) => profiles.get(id)?.name;

/** Returns at most so many people with a part of a name that begins with the typed text; first those whose whole name does. */
export function matching(people, typed, most) {
  const wanted = typed.normalize().toLowerCase();
  const parts = (name) => [name, ...name.split(/(?<=[^\p{L}\p{M}\p{Nd}])/u).slice(1)];
  const place = (name) => parts(name).findIndex((part) => part.toLowerCase().startsWith(wanted));
  const rank = ({ id }) => Math.min(...[id, displayName(id) ?? id].map(place).filter((at) => at >= 0));
  const [first, others] = [(at) => at === 0, (at) => at > 0 && at < Infinity].map((isOne) => people.filter((person) => isOne(rank(person))));
  return [...first, ...others].slice(0, most);
}

/** Returns an element with what a person is called, which follows their profile; the user name shows on hover. */
export function named(id, properties) {
  meet(id);
  const node = element('bdi', { ...properties, title: id, dataset: { person: id } });
  paint(node);
  return node;
}

/** Returns such an element with the user name behind a display name. */
export const namedInFull = (id) => named(id, { className: 'full' });

/** Shows a person's picture, or an initial; and follows their profile. */
export function paintFace(avatar, id) {
  meet(id);
  avatar.dataset.person = id;
  paint(avatar);
}

function paint(node) {
  const { person } = node.dataset;
  if (!node.classList.contains('avatar')) {
    const text = node.classList.contains('full') ? calledInFull(person) : called(person);
    const name = displayName(person);
    if (node.textContent !== text) node.replaceChildren(...(text === person || text === name ? [text] : titled(name, person)));
    return;
  }
  const { name, picture } = profiles.get(person) ?? {};
  const shown = showsPicture(picture) && mayShow(picture) ? picture : '';
  if (node.dataset.face === `${initialOf(name ?? person)} ${shown}`) return; // or the picture flickers
  paintAvatar(node, person, name);
  node.dataset.face = `${initialOf(name ?? person)} ${shown}`;
  if (shown) node.append(pictureOf(shown, node));
}

function mayShow(picture) {
  if (fetched.has(picture)) return true;
  if (!page.mayLoad()) {
    heldBack = true;
    return false;
  }
  fetched.add(picture);
  return true;
}

function pictureOf(src, avatar) {
  const picture = element('img', { alt: '', referrerPolicy: 'no-referrer', loading: 'lazy', decoding: 'async', src });
  picture.addEventListener('error', () => {
    broken.add(src);
    paint(avatar);
  });
  return picture;
}
