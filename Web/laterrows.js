/** The rows of `me/later`, with the commands about them that the server has not answered. */

const SECTIONS = ['due', 'waiting'];
const inOrder = (a, b) => SECTIONS.indexOf(a.section) - SECTIONS.indexOf(b.section) || a.at - b.at;

/**
 * Returns the rows as they are when the commands, `{id, content}`, are done one after the other: each that such a command is about has
 * `isChanging`, or `isGoing` if it is cancelled.
 *
 * @param {any[]} rows
 * @param {{ id: string, content: any }[]} commands `content` is `null` in one that cancels
 * @param {number} now the server's time
 */
export function withCommands(rows, commands, now) {
  const all = new Map(rows.map((row) => [row.id, row]));
  for (const { id, content } of commands) {
    const row = all.get(id);
    if (content) all.set(id, { id, ...content, section: content.message && content.at <= now ? 'due' : 'waiting', isChanging: true });
    else if (row) all.set(id, { ...row, isGoing: true });
  }
  return [...all.values()].sort(inOrder);
}

/** Returns what a row says, as a command takes it. */
export function contentOf({ room, at, text, replyTo, mentions, everyone, data, message }) {
  return message === undefined ? { room, at, text, replyTo, mentions, everyone, data } : { room, at, message };
}

/**
 * Returns the rows that have become due between two states of the list. One that is new there is not among them: the user has given it a
 * time in the past.
 */
export function becomeDue(before, after) {
  const waited = new Set(before.filter(({ section }) => section === 'waiting').map(({ id }) => id));
  return after.filter(({ id, section }) => section === 'due' && waited.has(id));
}
