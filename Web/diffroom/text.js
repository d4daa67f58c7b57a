/** Texts and the names of files, as a server stores them and as people see them. */

import { textBytes } from './identifiers.js';

const MOST_NAME = 255; // bytes of a file's name

// Escape sequences, of which those with a string end with BEL or ST; then other control characters, and half surrogate pairs.
const CONTROLS = RegExp(
  [
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]?',
    '(?:\\x1b[PX\\]^_]|[\\x90\\x98\\x9d-\\x9f])(?:[^\\x07\\x1b\\x90\\x98\\x9c-\\x9f]*(?:\\x1b\\\\|[\\x07\\x9c]))?',
    '\\x1b[ -/]*[0-~]?',
    '[\\0-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f]|\\p{Cs}',
  ].join('|'),
  'gu',
);
const LINE_END = /\r\n?|[\v\f\x85\u2028\u2029]/g;
const SEEN = /[^\p{Cc}\p{Cf}\p{Z}\p{DI}\u2800\u{1D159}]/u;

/** Returns the text of a message, or of a room's last one, for people: that of a damaged message says so. */
export const textOf = ({ text, damaged }) => (damaged ? 'This message is damaged' : text);

/** Returns what a text is stored as when it is entered: without escape sequences and control characters, its lines ended by line feeds. */
export const entered = (text) => text?.replace(CONTROLS, '').replace(LINE_END, '\n');

/** Returns whether `entered` drops something of a text, about which its author should know. A line end is converted, not dropped. */
export const isReduced = (text) => text.search(CONTROLS) >= 0;

/** Returns whether something of a text can be seen. A server refuses texts of which nothing can. */
export const canBeSeen = (text) => SEEN.test(text);

/**
 * Returns a file's name as a message can have it: one line without slashes and marks of direction. Of a long one the beginning
 * and the end stay.
 */
export function fileName(name = '') {
  const characters = [...entered(name).replace(/[\n\t/\\\u2028-\u202E\u2066-\u2069]/g, '_').trim()];
  while (textBytes(characters.join('')).length > MOST_NAME) characters.splice(-20, 1);
  const shown = characters.join('');
  return canBeSeen(shown) && shown !== '.' && shown !== '..' ? shown : 'file';
}
