/** The kinds of rooms, which their names show. It needs no page: Node runs its tests, too. */

import { threadRoot } from './diffroom.js';

const KINDS = {
  open: /^(?!\.{1,2}$)[\w.-]{1,64}$/,
  private: /^~[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  direct: /^@[\da-f]{32}$/,
};

/** Returns the room of a thread; a room itself. */
export const roomOf = (name) => threadRoot(name)?.room ?? name;

/** Returns what a room's name says it is: open, private or direct. A thread is as its room. Nothing if no room has such a name. */
export const kindOf = (name = '') => Object.keys(KINDS).find((kind) => KINDS[kind].test(roomOf(name)));
