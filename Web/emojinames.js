/** The names of emoji, which are completed behind a `:` in the message field. */

const BEGUN = /(?<![\p{L}\p{N}:])(:)([\p{L}\p{N}+][\p{L}\p{N}_+-]{1,39})$/u;
const MOST = 8; // emoji that are offered

/** @typedef {[emoji: string, name: string, words: string]} EmojiRow */

let loading;

/** Loads the table, once. @returns {Promise<EmojiRow[]>} */
export function loadEmojis() {
  const named = /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="emojis"]'));
  loading ??= fetch(named?.content ?? '').then((answer) => (answer.ok ? answer.json() : []));
  loading.catch(() => (loading = undefined)); // there is no connection: the next name tries again
  return loading;
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
export function emojisNamed(table, typed) {
  const wanted = typed.toLowerCase().split(/[_\s-]+/).filter(Boolean);
  const has = (text) => wanted.every((word) => ` ${text}`.replace(/[-:,]/g, ' ').includes(` ${word}`));
  const rank = ([, name, words]) => {
    if (has(name)) return name.startsWith(wanted[0]) ? 0 : 1;
    return has(`${name} ${words}`) ? 2 : 3;
  };
  const found = table.map((row) => ({ row, rank: rank(row) })).filter(({ rank }) => rank < 3);
  found.sort((a, b) => a.rank - b.rank || a.row[1].length - b.row[1].length);
  return found.slice(0, MOST).map(({ row }) => row);
}
