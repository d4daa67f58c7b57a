/** Identifiers of rows and commands, and the names of lists. */

export const MENTIONS = 'me/mentions';
export const ROOMS = 'me/rooms';

export const textBytes = (id) => new TextEncoder().encode(id);
export const uuidBytes = (id) => id.replaceAll('-', '').match(/../g).map((pair) => parseInt(pair, 16));

/**
 * Returns a random UUID (version 4). Pages from plain HTTP have no `crypto.randomUUID`, and Node 18 has no `crypto`.
 */
export function uuid() {
  const byte = () => globalThis.crypto?.getRandomValues(new Uint8Array(1))[0] ?? Math.random() * 256;
  const digit = (mask) => (mask ^ (byte() & (15 >> (mask / 4)))).toString(16);
  return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, digit);
}

export const listOf = ({ frame }) => `room/${frame.room}/messages`;
export const roomOf = (list) => /^room.(.+).messages$/.exec(list)?.[1];
