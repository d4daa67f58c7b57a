/** Functions that make elements, for all parts of the page. */

import { serverNow } from './clock.js';
import { storage } from './storage.js';

/** How the user wants hours, instead of what their language has: `h23` or `h12`. */
const hours = storage('localStorage').get('hours');
const hourCycle = hours === 'h23' || hours === 'h12' ? hours : undefined;
/** The language of dates, if it is another than the browser's. */
const language = spoken(storage('localStorage').get('language'));
const formatOf = (options) => new Intl.DateTimeFormat(language, options);
export const clock = formatOf({ hour: 'numeric', minute: '2-digit', hourCycle });
export const calendar = formatOf({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
export const moment = formatOf({ dateStyle: 'full', timeStyle: 'medium', hourCycle });
export const weekday = formatOf({ weekday: 'short' });
export const day = formatOf({ dateStyle: 'medium' });
export const date = formatOf({ day: 'numeric', month: 'short' });

/** Returns a language that the browser has, or nothing. */
function spoken(language) {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(language ?? [])[0];
  } catch {
    return undefined; // not ours
  }
}

/** @type {(id: string) => any} whatever element it is */
export const $ = (id) => document.getElementById(id);

/**
 * Returns a function that finds the elements of a conversation, each by the name of its part. The ids of the room's are these names; those
 * of the thread beside it have a prefix.
 */
export const partsOf = (prefix) => Object.assign((name) => $(prefix + name), { prefix });
export const ROOM_PARTS = partsOf('');

/** Whether the user sees the messages of the room: the page is on the screen, and no drawer or dialog is in front of it. */
export const isInSight = () => !document.hidden && !$('room').inert && !document.querySelector('dialog:modal');

/** Acts when that may have changed, or whether the window has the focus. */
export function onSightChange(act, signal) {
  addEventListener('focus', ({ target }) => target === window && act(), { signal });
  for (const type of ['visibilitychange', 'close', 'withdraw']) document.addEventListener(type, act, { signal, capture: true });
}

/** Acts when the page goes, or is about to: one that is hidden may be frozen, and end without a word. */
export function onPageEnd(act) {
  addEventListener('pagehide', act);
  document.addEventListener('visibilitychange', () => document.hidden && act());
}

/**
 * Returns an element with properties; strings become text, never markup.
 *
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {(Node | string)[]} children
 * @returns {any} the kind of element that `tag` names
 */
export function element(tag, properties = {}, ...children) {
  const { dataset, ...others } = properties;
  const made = Object.assign(document.createElement(tag), others);
  Object.assign(made.dataset, dataset);
  made.append(...children);
  return made;
}

/** Returns a number as text, with a plus if it is the least that there is. */
export const numeral = (number, isLeast) => `${number.toLocaleString()}${isLeast ? '+' : ''}`;

/** @type {[number, string][]} in milliseconds */
const UNITS = [[86_400_000, 'day'], [3_600_000, 'hour'], [60_000, 'minute'], [1_000, 'second']];

/** Returns a span of milliseconds in words, in the largest unit of which it has a whole number: 10 minutes. */
export function spanOf(span) {
  const [size, unit] = UNITS.find(([size]) => span % size === 0) ?? UNITS.at(-1);
  const count = span / size;
  return `${count.toLocaleString()} ${unit}${count === 1 ? '' : 's'}`;
}

/** Returns when something was: the time if it was today, else the day, too. */
export function when(time) {
  return sameDay(serverNow(), time) ? clock.format(time) : moment.format(time);
}

/** Shows a text and the seconds that it counts down, if there are some. A screen reader reads the text once, and not each second. */
export function countDownIn(node, text, seconds) {
  if (node.firstChild?.data !== text || !node.lastElementChild) node.replaceChildren(text, element('span', { ariaHidden: 'true' }));
  node.lastChild.textContent = seconds > 0 ? ` in ${seconds} s` : '';
}

/** Makes these the children of a list. The one that is `held`, which has the focus, is not touched, or it would lose the focus: the others move around it. */
export function arrange(list, items, held) {
  const at = items.indexOf(held);
  if (at < 0 || held.parentNode !== list) return list.replaceChildren(...items);
  const others = [...list.children].filter((other) => !items.includes(other));
  for (const other of others) other.remove();
  for (const item of items.slice(0, at)) held.before(item);
  return held.after(...items.slice(at + 1));
}

/**
 * Returns an object that shows progress in an element of a dialog: `note(text)`, and `hint(text)` when it is refused. A refusal that
 * comes when the dialog is closed stands above the message field: `composer` shows it.
 */
export function tellerIn(id, composer) {
  const tell = (className) => (textContent = '') => Object.assign($(id), { className, textContent });
  const hint = tell('refusal');
  return { note: tell(''), hint: (text) => ($(id).closest('dialog').open ? hint(text) : composer.hint(text)) };
}

/** Offers names in the fields for one. */
export const offerNames = (names) => $('names').replaceChildren(...names.map((value) => element('option', { value })));

/**
 * The news of a room, or of several together.
 *
 * @typedef {object} News
 * @property {number} [unread]
 * @property {number} [mentions] those of them that mention the user
 * @property {boolean} [marked] whether the user has marked the room as unread
 * @property {number} [invited] the number of invitations
 * @property {{ unread?: boolean, mentions?: boolean }} [isLeast] which of the numbers may be higher
 */

/**
 * Returns what shows that messages of a room are unread, that some mention the user, or that the user has marked the room.
 *
 * @param {News} news
 */
export function badges({ unread, mentions, marked, isLeast = {} }) {
  const badge = (className, number, what) => element('span', { className }, number, element('span', { className: 'unseen' }, what));
  const made = mentions ? [badge('call badge', `@${numeral(mentions, isLeast.mentions)}`, ' mentioning you')] : [];
  if (unread) made.push(badge('badge', numeral(unread, isLeast.unread), ' unread'));
  else if (marked) made.push(badge('marked', '', 'marked as unread'));
  return made.length ? [element('span', { className: 'badges' }, ...made)] : [];
}

/**
 * Returns the same in words, behind the name of what has them.
 *
 * @param {string} name
 * @param {News} news
 */
export function withNews(name, { unread, mentions, invited, isLeast = {} }) {
  const news = [unread && `${numeral(unread, isLeast.unread)} unread`, mentions && `${numeral(mentions, isLeast.mentions)} mentioning you`, invited && `${invited} invitation${invited > 1 ? 's' : ''}`];
  return [name, ...news.filter(Boolean)].join(', ');
}

/**
 * Returns the key of an event, a letter in lower case whatever Caps Lock says. Where the layout has another script there, it is the
 * Latin letter of the place.
 */
export function keyOf({ key, code }) {
  const isForeign = /^[^\p{Script=Latin}]$/u.test(key) && /^Key[A-Z]$/.test(code) && /\p{L}/u.test(key);
  return isForeign ? code.at(-1).toLowerCase() : key.length === 1 ? key.toLowerCase() : key;
}

/** Whether the user types on the screen: the keyboard there has no Shift-Enter. */
export const typesOnScreen = () => matchMedia('(hover: none) and (pointer: coarse)').matches;

/** Returns names as a sentence has them: ann, bob and cid. */
export function listed(names) {
  return names.flatMap((one, index) => [index ? (index < names.length - 1 ? ', ' : ' and ') : '', one]);
}

/** Returns a name that was chosen and, behind it, the real one, which stays in sight. Neither changes the direction of the other. */
export const titled = (title, real) => [element('bdi', { className: 'title' }, title), ' ', element('bdi', { className: 'real' }, `(${real})`)];

export const initialOf = (name) => [...name][0].toUpperCase();

/** Shows the initial of what a person is called, on a colour that depends on the user name. */
export function paintAvatar(avatar, id, name = id) {
  let hue = 7;
  for (const character of id) hue = (hue * 31 + character.codePointAt(0)) % 360;
  avatar.style.setProperty('--hue', hue);
  avatar.textContent = initialOf(name);
}

/** The last day that was formatted, by its ends, so that most comparisons make no date. */
let dayStart = 0;
let dayEnd = 0;

export function sameDay(one, other) {
  if (one < dayStart || one >= dayEnd) {
    const date = new Date(one);
    dayStart = new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
    dayEnd = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
  }
  return other >= dayStart && other < dayEnd;
}
