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
    this.kinds = ['insert', 'insert', 'insert', 'reload', 'reconfigure', 'delete', 'grow', ...(moves ? ['move'] : [])];
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
    if (kind === 'insert' || !row) rows.push({ id: uuidOf(++this.#made), sort: rev, rev, author: 'ann', time: rev, text: `said ${rev}`, ...(rev % 3 && { open: true }), ...this.#mentions(rev) });
    else if (kind === 'reload') rows[index] = { ...row, mentions: undefined, everyone: undefined, rev, text: `edited ${rev}`, edited: rev, ...this.#mentions(rev) };
    else if (kind === 'reconfigure') rows[index] = { ...row, rev, reactions: [{ emoji: '👍', users: [`u${rev}`] }] };
    else if (kind === 'grow') rows[index] = this.#grown(row, rev);
    else if (kind === 'move') rows[index] = { ...row, rev, sort: rev };
    else rows.splice(index, 1);
    this.states.push(rows.sort((a, b) => a.sort - b.sort));
  }

  /** A message that is closed already gets a reaction instead. */
  #grown({ open, ...row }, rev) {
    if (!open) return { ...row, rev, reactions: [{ emoji: '🎉', users: [`u${rev}`] }] };
    return { ...row, rev, text: row.text + [' é', ' 日本', '👩🏽', '\n\n', '.'][rev % 5], ...(rev % 4 ? { open } : rev % 8 ? { ended: 'stopped' } : {}) };
  }

  #mentions(rev) {
    return rev % 3 ? {} : rev % 2 ? { mentions: [`u${rev % 7}`, 'ann'] } : { everyone: true };
  }

  proof(revision) {
    const rows = this.at(revision);
    return { count: rows.length, digest: slowDigest(rows.slice(-32)) };
  }

  diff(from, to = this.head) {
    const frame = { type: 'diff', list: 'room/r/messages', epoch: this.epoch, from, to, ...this.#compare(this.at(from), this.at(to)), ...this.proof(to) };
    return JSON.parse(JSON.stringify(frame));
  }

  #compare(...lists) {
    const [before, after] = lists.map(byId);
    const diff = { del: [], mov: [], ins: [], rel: [], app: [], cfg: [] };
    for (const id of before.keys()) if (!after.has(id)) diff.del.push(id);
    for (const [id, row] of after) {
      const old = before.get(id);
      if (!old) diff.ins.push({ ...row, section: 'socket' });
      else if (old.rev !== row.rev) this.#change(diff, old, row);
    }
    return diff;
  }

  #change(diff, old, row) {
    const { id, rev, sort, reactions = [] } = row;
    if (old.sort !== sort) diff.mov.push({ id, section: 'socket', sort, rev });
    if (old.open && old.edited === row.edited && old.sort === sort && (old.text !== row.text || !row.open)) diff.app.push(growth(old, row));
    else if (old.text !== row.text || old.edited !== row.edited || old.open !== row.open) diff.rel.push(row);
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

  /** The answer to a request for a page. */
  page(place, limit, revision = this.head) {
    const all = this.at(revision);
    const [start, end] = place.around ? this.#around(all, place.around, limit) : this.#between(all, place, limit);
    const [before, after] = [all[start - 1], all[end]];
    const from = !start ? 0 : place.after !== undefined && !(before?.sort > place.after) ? Math.min(place.after, revision) + 1 : before ? all[start]?.sort ?? before.sort + 1 : 0;
    const to = after && !(after.sort >= place.before) ? all[end - 1].sort : Math.min(place.before ? place.before - 1 : Infinity, revision);
    const rows = all.slice(start, end);
    const frame = { type: 'page', list: 'room/r/messages', epoch: this.epoch, revision, from, to, rows, more: start > 0, newer: end < all.length };
    return JSON.parse(JSON.stringify(frame));
  }

  #between(all, { before = Infinity, after }, limit) {
    const low = after === undefined ? 0 : count(all, (row) => row.sort <= after);
    const high = count(all, (row) => row.sort < before);
    if (before === Infinity && after !== undefined) return [low, Math.min(low + limit, high)];
    return [Math.max(low, high - limit), high];
  }

  #around(all, { id, revision, time }, limit) {
    const at = all.findIndex((row) => row.id === id || row.sort >= revision || row.time >= time);
    const target = at < 0 ? all.length - 1 : at;
    const start = Math.max(target - (limit >> 1), 0);
    return [start, Math.min(start + limit, all.length)];
  }

  /**
   * The answer to a `resume`: the net changes of the rows held, the newest rows, and what is held then. `letsGo` tells
   * for each range whether the server gives it up.
   */
  resume({ revision, ranges }, limit, letsGo = () => false) {
    const [before, after] = [this.at(revision), this.at(this.head)];
    const came = after.filter(({ sort }) => sort > revision);
    const newest = came.slice(-limit);
    const spans = ranges.map(([from, to]) => ({ from, to }));
    // The end must not begin after the revision, or it could not be named when one comes back.
    if (came.length <= limit && !(this.head > revision && letsGo(spans.at(-1)))) delete spans.at(-1).to;
    else spans.push({ from: newest[0]?.sort ?? revision + 1 });
    const kept = spans.filter((span) => span.to === undefined || !letsGo(span));
    const inside = (row) => kept.some(({ from, to = Infinity }) => from <= row.sort && row.sort <= to);
    const diff = this.#compare(before.filter(inside), after.filter(inside));
    const proofs = kept.map((span) => ({ ...span, ...proofOf(after.filter(({ sort }) => span.from <= sort && !(sort > span.to))) }));
    const frame = { type: 'diff', list: 'room/r/messages', epoch: this.epoch, from: revision, to: this.head, ...diff, ranges: proofs, ...this.proof(this.head) };
    return JSON.parse(JSON.stringify(frame));
  }
}

/** The operation that makes one state of a message of an earlier one. */
function growth(old, { id, rev, text, open, ended, reactions = [] }) {
  const isSame = JSON.stringify(old.reactions ?? []) === JSON.stringify(reactions);
  const change = isSame ? {} : { del: old.reactions ?? [], add: reactions, emojis: reactions.map(({ emoji }) => emoji) };
  return { id, rev, at: new TextEncoder().encode(old.text).length, text: text.slice(old.text.length), open, ended, ...change };
}

const count = (rows, test) => rows.filter(test).length;
const proofOf = (rows) => ({ count: rows.length, digest: slowDigest(rows) });
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
