/** Identifiers of rows and commands, and the names of lists. */

export const MENTIONS = 'me/mentions';
export const LATER = 'me/later';
/** The lists of the user's rooms, and of the threads that the user follows: `limit` is the number of rows of a section there. */
export const OF_ROOMS = new Set(['me/rooms', 'me/threads']);

/** Returns the bytes of a text in UTF-8. */
export const textBytes = (id) => new TextEncoder().encode(id);

/** Returns the 16 bytes of a UUID. */
export const uuidBytes = (id) => id.replaceAll('-', '').match(/../g).map((pair) => parseInt(pair, 16));

/** Returns bytes as hexadecimal digits. */
export const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Returns a random UUID (version 4, RFC 9562). Pages from plain HTTP have no `crypto.randomUUID`, and Node 18 has no `crypto`. */
export function uuid() {
  const bytes = Uint8Array.from({ length: 16 }, () => Math.random() * 256);
  globalThis.crypto?.getRandomValues(bytes);
  bytes[6] = (bytes[6] & 0x0f) | 0x40; // the version
  bytes[8] = (bytes[8] & 0x3f) | 0x80; // the variant
  return hexOf(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const THREAD = /^([^/]+)\/thread\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** Returns the name of the thread of a message, which takes the place of a room's name in frames and commands. */
export const threadName = (room, id) => `${room}/thread/${id}`;

/** Returns the message that a thread answers, and its room, for the name of the thread; `undefined` for another room. */
export function threadRoot(name) {
  const [, room, id] = THREAD.exec(name) ?? [];
  return room && { room, id };
}

/** Returns the name of the list that a message, in a frame or a command, belongs to. */
export const listOf = ({ frame }) => `room/${frame.room}/messages`;

/** Returns the room whose messages a list has; `undefined` for another list. */
export const roomOf = (list) => /^room.(.+).messages$/.exec(list)?.[1];
