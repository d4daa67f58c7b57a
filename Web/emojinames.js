/** The names of emoji, by which they are found in the message field, behind a `:`, and in the picker. */

import { storage } from './storage.js';

const BEGUN = /(?<![\p{L}\p{N}:])(:)([\p{L}\p{N}+][\p{L}\p{N}_+-]{1,39})$/u;
const MOST = 8; // emoji that are offered
const MEDIUM = '\u{1F3FD}';

export const TONES = ['', '\u{1F3FB}', '\u{1F3FC}', MEDIUM, '\u{1F3FE}', '\u{1F3FF}'];

/** @typedef {[emoji: string, name: string, words: string, medium?: string, group?: string]} EmojiRow */

let loading;

/** Loads the table, once. @returns {Promise<EmojiRow[]>} */
export function loadEmojis() {
  const named = /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="emojis"]'));
  loading ??= fetch(named?.content ?? '').then((answer) => (answer.ok ? answer.json() : []));
  loading.catch(() => (loading = undefined)); // there is no connection: the next name tries again
  return loading;
}

/** Returns the skin tone that the user has chosen in this browser; empty for none. */
export function chosenTone() {
  const tone = storage('localStorage').get('tone') ?? '';
  return TONES.includes(tone) ? tone : '';
}

/**
 * Returns the emoji of a row in a skin tone, if it has any.
 *
 * @param {EmojiRow} row
 */
export function inTone([emoji, , , medium], tone = chosenTone()) {
  return tone && medium ? medium.replaceAll(MEDIUM, tone) : emoji;
}

/** Returns the place of the `:` with which a name is being typed at the end of a text, and what is typed of it: at least two characters. */
export function begunEmoji(text) {
  const found = BEGUN.exec(text);
  return found && { at: found.index, typed: found[2] };
}

/**
 * Returns the emoji with these words at the beginnings of their own: first those whose name begins so, then those with the words in
 * their name, then the others; of each the shorter names first.
 *
 * @param {EmojiRow[]} table
 * @param {string} typed
 */
export function emojisNamed(table, typed, most = MOST) {
  const wanted = typed.toLowerCase().split(/[:_\s-]+/).filter(Boolean);
  const has = (text) => wanted.every((word) => ` ${text.toLowerCase()}`.replace(/[-:,]/g, ' ').includes(` ${word}`));
  const rank = (/** @type {EmojiRow} */ [, name, words]) => {
    if (has(name)) return name.toLowerCase().startsWith(wanted[0]) ? 0 : 1;
    return has(`${name} ${words}`) ? 2 : 3;
  };
  const found = table.map((row) => ({ row, rank: rank(row) })).filter(({ rank }) => rank < 3);
  found.sort((a, b) => a.rank - b.rank || a.row[1].length - b.row[1].length);
  return found.slice(0, most).map(({ row }) => row);
}
