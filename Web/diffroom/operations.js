/** The operations of a diff, and what each makes of a row. */

import { groupOf } from './digest.js';
import { textBytes } from './identifiers.js';
import { contradict } from './orderedrows.js';

const PINS = 'pins'; // the section of pinned messages
const DRAFTS = 'drafts'; // the section of `me/drafts`
const LIGHT_SECTIONS = new Set(['due', 'waiting', 'blocked']); // the sections of `me/later` and `me/blocked`

/**
 * The operations of a diff, in the order of application. `change` returns the new row for the old one; none removes the row. An operation
 * that `inserts` needs no old row, one that `reloads` replaces all of a row's content, and one that `canFollowMove` may touch a row that
 * the same diff has moved.
 */
export const OPERATIONS = {
  del: { change: () => undefined },
  mov: { change: (row, op) => ({ ...row, ...op }) },
  ins: { inserts: true, reloads: true, change: (row, op) => op },
  rel: { reloads: true, canFollowMove: true, change: (row, op) => ({ ...op, section: row.section, sort: row.sort }) },
  app: { reloads: true, change: grown },
  cfg: { canFollowMove: true, change: (row, op) => ({ ...heavyOf(row), ...op, section: row.section, sort: row.sort }) },
  rea: { canFollowMove: true, change: (row, op) => ({ ...row, rev: op.rev, reactions: patched(row.reactions, op) }) },
};

/** Returns a message with text at its end, which may no longer grow, and with the reactions that changed as well. */
function grown({ open, ended, ...row }, { rev, at, text, open: isOpen, ended: why, del, add, emojis }) {
  const hasReacted = del || add || emojis;
  return {
    ...row, rev, text: beginning(row.text, at) + text, ...(isOpen && { open: true }), ...(why && { ended: why }),
    ...(hasReacted && { reactions: patched(row.reactions, { del, add, emojis }) }),
  };
}

/** Returns the first bytes of a text, in UTF-8. The text has so many, and the last one ends a character. */
function beginning(text, size) {
  const bytes = textBytes(text);
  // A later byte of a character has 10 as its first bits.
  if (!(size <= bytes.length) || (bytes[size] & 0xc0) === 0x80) contradict();
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, size));
}

/** Returns the reactions of a message after some were added and taken back. */
function patched(reactions = [], { del = [], add = [], emojis }) {
  const all = new Map(reactions.map(({ emoji, users }) => [emoji, users]));
  const without = ({ emoji, users }) => (all.get(emoji) ?? []).filter((user) => !users.includes(user));
  for (const gone of del) all.set(gone.emoji, without(gone));
  for (const come of add) all.set(come.emoji, [...without(come), ...come.users]);
  return (emojis ?? [...all.keys()]).map((emoji) => ({ emoji, users: all.get(emoji) ?? [] })).filter(({ users }) => users.length);
}

/**
 * Returns a row without its light fields. A room's `mentions` is light and always sent, as is the `text` of a mention; a message's are
 * not. Of a draft, and of a row of `me/later` or `me/blocked`, all fields are light.
 */
function heavyOf({ tag, reactions, thread, typing, read, since, role, unread, by, last, title, name, picture, muted, marked, here, root, ...heavy }) {
  if (LIGHT_SECTIONS.has(heavy.section)) return { id: heavy.id };
  if (heavy.section !== PINS && heavy.section !== DRAFTS) return heavy;
  const { text, replyTo, mentions, everyone, data, files, edited, ...rest } = heavy;
  return rest;
}

/** Begins a diff with the held rows, without those that its groups have not. */
export function keep(rows, rev, groups, ins = []) {
  const others = new Set(groups);
  const named = new Set(ins.map(({ id }) => id));
  for (const row of rows.byId.values()) {
    const isGone = others.size && others.has(groupOf(row.id)) && !named.has(row.id);
    rows.put(row.id, isGone ? undefined : { ...row, rev });
  }
}

/**
 * Returns a function that applies the operations of one diff to `rows`, one by one. `touched` has the rows from before the diff, and
 * `reloaded` gets the ids of the rows with other content. With `anew`, operations apply whatever `rev` the rows had.
 */
export function operating({ rows, touched, reloaded, anew }) {
  const last = new Map(); // the id of a row → its last operation

  return (kind, op) => {
    const operation = OPERATIONS[kind];
    const id = op.id ?? op;
    const row = rows.byId.get(id);
    if (last.has(id) && !(last.get(id) === OPERATIONS.mov && operation.canFollowMove)) contradict();
    last.set(id, operation);
    if (!row && !operation.inserts) return;
    // Two operations of one diff may touch one row, both with its new rev. Compare with the rev before the diff.
    if (!anew && op.rev <= (touched.has(id) ? touched.get(id) : row)?.rev) return;
    if (operation.reloads) reloaded.add(id);
    rows.put(id, operation.change(row, op));
  };
}
