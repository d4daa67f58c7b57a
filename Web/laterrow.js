/** The content of a row in the list of scheduled messages and reminders. */

import { shownTextOf } from './blocks.js';
import { serverNow } from './clock.js';
import { $, clock, date, day, element, moment, weekday } from './elements.js';
import { named } from './faces.js';
import { roomOf } from './kinds.js';
import { nameOf } from './labels.js';
import { daysUntil } from './latertimes.js';
import { withoutMarks } from './markdown.js';

const WEEK = 7; // days
const YEAR = 300; // days from which on a date needs its year
const MOST_TEXT = 400; // characters that are shown
const NEAR = new Map([[-1, 'Yesterday'], [0, 'Today'], [1, 'Tomorrow']]);

/** Why the server did not send a message, in plain words. The server's own words stand for others. */
const REASONS = {
  muted: 'You were muted in the room.',
  banned: 'You are banned from the room.',
  role: 'You may not write in the room.',
  invited: 'You have not accepted the invitation to the room.',
  read_only: 'The room is read-only: only moderators write.',
  everyone: 'You may not mention everybody in the room.',
  no_message: 'The message of this thread was deleted.',
  id_used: 'The message was sent before you changed it.',
};

/** Returns when something is due: the day, as near as it is, and the time. */
export function dueTime(at) {
  const days = daysUntil(at, serverNow());
  const near = NEAR.get(days) ?? (days > 0 && days < WEEK ? weekday.format(at) : (Math.abs(days) < YEAR ? date : day).format(at));
  return `${near}, ${clock.format(at)}`;
}

/** Returns what the user can do with a row, as `[act, label]`, after opening it. */
export function actsOf({ section, message, refused, isGoing }) {
  if (isGoing) return [];
  if (message !== undefined) return section === 'due' ? [['cancel', 'Done'], ['snooze', 'Snooze']] : [['time', 'Change the time'], ['cancel', 'Cancel']];
  return [['now', refused ? 'Try again' : 'Send now'], ['edit', 'Edit'], ['cancel', 'Cancel']];
}

/**
 * Draws a row into its element.
 *
 * @param {HTMLElement} item
 * @param {any} row
 * @param {any} page `about`, as much as is known of its `room`; `me`; of a reminder the `message`, `null` if it is gone, and nothing while it is not known; and
 * `readable(text)`, a text of the server's
 */
export function drawLater(item, row, { about, me, message, readable }) {
  const { at, room, refused } = row;
  const isThread = roomOf(room) !== room;
  const time = element('time', { dateTime: new Date(at).toISOString(), title: moment.format(at) }, dueTime(at));
  const head = element('span', { className: 'head' }, nameOf({ ...about, id: roomOf(room) }), ...(isThread ? [element('small', {}, 'thread')] : []), time);
  const parts = [head, row.message === undefined ? wordsOf(row.text) : remembered(message, me)];
  if (refused) parts.push(element('span', { className: 'refusal' }, `Not sent: ${REASONS[refused.reason] ?? readable(refused.message)}`));
  const sign = element('span', { className: 'sign' }, $(row.message === undefined ? 'clock' : 'bell').content.cloneNode(true), element('span', { className: 'unseen' }, row.message === undefined ? 'Message: ' : 'Reminder: '));
  const [open, does] = partsOf(item);
  open.replaceChildren(sign, element('span', { className: 'body' }, ...parts));
  offer(does, actsOf(row));
  item.toggleAttribute('data-changing', Boolean(row.isChanging));
  item.toggleAttribute('data-going', Boolean(row.isGoing));
}

/** Returns the button that opens the row, and the place of the others; they stay the same, because one may have the focus. */
function partsOf(item) {
  if (!item.firstChild) item.append(element('button', { type: 'button', className: 'open', dataset: { act: 'open' } }), element('span', { className: 'does' }));
  return item.children;
}

function offer(does, acts) {
  const known = [...does.children];
  const buttons = acts.map(([act, label]) => {
    const button = known.find(({ dataset }) => dataset.act === act) ?? element('button', { type: 'button', tabIndex: -1, dataset: { act } });
    if (button.textContent !== label) button.textContent = label;
    return button;
  });
  for (const button of known) if (!buttons.includes(button)) button.remove();
  for (const [index, button] of buttons.entries()) if (does.children[index] !== button) does.insertBefore(button, does.children[index] ?? null);
}

const wordsOf = (text) => element('span', { className: 'words', dir: 'auto' }, withoutMarks(text.slice(0, MOST_TEXT)));

/** Returns who has said what the user wants to be reminded of. */
function remembered(message, me) {
  if (message === undefined) return element('span', { className: 'words gone' }, 'The message is not loaded.');
  if (message === null) return element('span', { className: 'words gone' }, 'The message was deleted, or you may not read it any more.');
  const who = message.author === me ? 'You' : message.author && named(message.author);
  const text = element('span', { dir: 'auto' }, withoutMarks(shownTextOf(message).slice(0, MOST_TEXT)));
  return element('span', { className: 'words' }, ...(who ? [element('span', { className: 'who' }, who, ':'), ' '] : []), text);
}
