/** Whom the user has blocked, for all parts of the page that show people and their messages. It needs no page: Node runs its tests, too. */

import { textOf } from './diffroom.js';
import { kindOf } from './kinds.js';

/** The words in the place of a message that is not shown. */
export const FOLDED = 'A message of somebody you have blocked';

let blocked = new Set(); // user names
const shown = new Set(); // ids of their messages that the user has asked to see
const followers = [];

/** Calls `act` after each change of who is blocked, and of which messages are folded. */
export const onFoldsChange = (act) => followers.push(act);

function notify() {
  for (const act of followers) act();
}

export const isBlocked = (name) => blocked.has(name);

/** Whether anybody is blocked. */
export const areSomeBlocked = () => blocked.size > 0;

/** Replaces the names of those who are blocked. */
export function setBlocked(names) {
  if (names.length === blocked.size && names.every((name) => blocked.has(name))) return;
  blocked = new Set(names);
  notify();
}

/** Returns whether a message is not shown: its author is blocked, and the user has not asked to see it. */
export const isFolded = ({ id, author }) => blocked.has(author) && !shown.has(id);

/** Shows a message of a blocked user from now on. */
export function unfold(id) {
  shown.add(id);
  notify();
}

/** Returns the text of a message, or the words in its place if it is folded. */
export const shownTextOf = (message) => (isFolded(message) ? FOLDED : textOf(message));

/** Returns whether a row of the user's rooms or threads leads to a blocked user alone: their direct room, or their invitation. */
export function isOutOfReach({ id, section, by, people = [] }) {
  if (section === 'invited') return isBlocked(by);
  return kindOf(id) === 'direct' && people.length === 1 && isBlocked(people[0]);
}

/**
 * Returns the rows of `me/blocked` as they are when the commands, `{user, on}`, are done one after the other: each that such a command changes
 * has `isChanging`, or `isGoing` if the user is unblocked.
 *
 * @param {any[]} rows
 * @param {{ user: string, on: boolean }[]} commands
 */
export function withBlocks(rows, commands) {
  const held = new Map(rows.map((row) => [row.id, row]));
  const all = new Map(held);
  for (const { user, on } of commands) {
    const row = all.get(user);
    if (on && (!row || row.isGoing)) all.set(user, { ...row, id: user, isChanging: true, isGoing: false });
    else if (!on && held.has(user)) all.set(user, { ...held.get(user), isGoing: true });
    else if (!on) all.delete(user);
  }
  return [...all.values()];
}
