/** Signals of a user that a new connection does not remember: typing, read marks and wanted profiles. */

import { roomOf } from './identifiers.js';
import { requestInParts } from './requests.js';

const TYPING_AGAIN = 3_000; // ms after which typing is repeated: the server forgets it after 5 s

/** The typing and read marks of this user, which a new connection does not remember: what the library does with them, and what a user does. */
export function signals(env, link) {
  const typed = new Map(); // room → the time until which `typing` need not be repeated
  const marks = new Map(); // room → the revision read
  const sendRead = (room, revision) => link.request({ type: 'read', room, revision });

  const marking = {
    forget: () => typed.clear(),
    /** Repeats the mark of a room whose messages are followed again. */
    again(list) {
      const room = roomOf(list);
      if (marks.has(room)) sendRead(room, marks.get(room));
    },
    /** Notes that a message was sent, which ends typing. */
    sent: (room) => typed.delete(room),
    /** Forgets the mark of a room whose messages are not followed any more: it could not be repeated. */
    unmark: (list) => marks.delete(roomOf(list)),
  };

  function typing(room, on) {
    const now = env.now();
    const until = typed.get(room);
    if (on ? now < until : !until) return;
    typed.set(room, on && now + TYPING_AGAIN);
    link.request({ type: 'typing', room, on });
  }

  /** Without a revision: all present messages. The library never repeats that, because it would count later ones. */
  function read(room, revision) {
    if (revision <= marks.get(room)) return;
    if (revision) marks.set(room, revision);
    sendRead(room, revision);
  }

  /** Marks all as read that is in these rooms, with one request. The library never repeats that, either. */
  const readAll = (rooms) => requestInParts(link, [...rooms], (part) => ({ type: 'read', rooms: part }));

  return { marks: marking, signs: { typing, read, readAll } };
}

/** The people whose profiles this user wants. A new connection may not remember them. */
export function profiles(client, link) {
  const wanted = new Set(); // in the order in which they came

  const fetch = (names) => requestInParts(link, names, (part) => ({ type: 'people', names: part }));

  return {
    /** Asks for all again: before the list is subscribed to, so that its snapshot has them. */
    repeat: () => fetch([...wanted]),
    know(people) {
      const fresh = [...people].filter((id) => !wanted.has(id) && wanted.add(id));
      for (const id of wanted) if (wanted.size > client.welcome?.limits.people) wanted.delete(id);
      fetch(fresh);
    },
  };
}
