/**
 * A list done the slow way: every state it ever had, differences by comparing them, and the digest in big integers.
 */

export const uuidOf = (number) => `${number.toString(16).padStart(8, '0')}-0000-4000-8000-${(number * 2654435761 % 2 ** 40).toString(16).padStart(12, '0')}`;

export class Model {
  epoch = 'one';
  states = [[]];
  #made = 0;

  constructor(random, { moves = false } = {}) {
    this.random = random;
    this.kinds = ['insert', 'insert', 'insert', 'reload', 'reconfigure', 'delete', ...(moves ? ['move'] : [])];
  }

  get head() {
    return this.states.length - 1;
  }

  at(revision) {
    return this.states[revision];
  }

  /** One more revision. */
  step(kind = this.random.pick(this.kinds)) {
    const rows = [...this.states.at(-1)];
    const rev = this.states.length;
    const index = this.random.below(rows.length);
    const row = rows[index];
    if (kind === 'insert' || !row) rows.push({ id: uuidOf(++this.#made), sort: rev, rev, author: 'ann', time: rev, text: `said ${rev}` });
    else if (kind === 'reload') rows[index] = { ...row, rev, text: `edited ${rev}`, edited: rev };
    else if (kind === 'reconfigure') rows[index] = { ...row, rev, reactions: [{ emoji: '👍', users: [`u${rev}`] }] };
    else if (kind === 'move') rows[index] = { ...row, rev, sort: rev };
    else rows.splice(index, 1);
    this.states.push(rows.sort((a, b) => a.sort - b.sort));
  }

  proof(revision) {
    const rows = this.at(revision);
    return { count: rows.length, digest: slowDigest(rows.slice(-32)) };
  }

  diff(from, to = this.head) {
    const [before, after] = [byId(this.at(from)), byId(this.at(to))];
    const diff = { type: 'diff', list: 'room/r/messages', epoch: this.epoch, from, to, del: [], mov: [], ins: [], rel: [], cfg: [], ...this.proof(to) };
    for (const id of before.keys()) if (!after.has(id)) diff.del.push(id);
    for (const [id, row] of after) {
      const old = before.get(id);
      if (!old) diff.ins.push({ ...row, section: 'socket' });
      else if (old.rev !== row.rev) this.#change(diff, old, row);
    }
    return JSON.parse(JSON.stringify(diff));
  }

  #change(diff, old, row) {
    const { id, rev, sort, reactions = [] } = row;
    if (old.sort !== sort) diff.mov.push({ id, section: 'socket', sort, rev });
    if (old.text !== row.text) diff.rel.push(row);
    else if (JSON.stringify(old.reactions) !== JSON.stringify(row.reactions)) diff.cfg.push({ id, rev, reactions });
  }

  snapshot(limit, joined = this.head, revision = this.head) {
    const all = this.at(revision);
    const rows = all.slice(-limit);
    const sections = [
      { id: 'history', rows: rows.filter(({ sort }) => sort <= joined) },
      { id: 'socket', rows: rows.filter(({ sort }) => sort > joined) },
    ];
    const frame = { type: 'snapshot', list: 'room/r/messages', epoch: this.epoch, revision, joined, why: 'fresh', sections, more: rows.length < all.length };
    return JSON.parse(JSON.stringify({ ...frame, ...this.proof(revision) }));
  }

  page(before, limit, revision = this.head) {
    const older = this.at(revision).filter(({ sort }) => sort < before);
    const rows = older.slice(-limit);
    const frame = { type: 'page', list: 'room/r/messages', epoch: this.epoch, revision, rows, more: rows.length < older.length };
    return JSON.parse(JSON.stringify(frame));
  }
}

const byId = (rows) => new Map(rows.map((row) => [row.id, row]));

/** A UUID's digits; of a name its UTF-8. */
const idHex = (id) => (id.length === 36 ? id.replaceAll('-', '') : [...new TextEncoder().encode(id)].map((byte) => byte.toString(16).padStart(2, '0')).join(''));

export function slowDigest(rows) {
  let sum = 0n;
  for (const { id, sort, rev } of rows) {
    const hex = idHex(id) + [sort, rev].map((number) => number.toString(16).padStart(16, '0')).join('');
    let hash = 0x811c9dc5n;
    for (let at = 0; at < hex.length; at += 2) hash = ((hash ^ BigInt(`0x${hex.slice(at, at + 2)}`)) * 0x01000193n) % 2n ** 32n;
    sum = (sum + hash) % 2n ** 32n;
  }
  return Number(sum);
}
