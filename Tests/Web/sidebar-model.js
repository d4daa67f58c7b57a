/** Somebody's `me/rooms` done the slow way: every state it ever had, and differences by comparing them. */

import { slowDigest } from './model.js';

export class SidebarModel {
  states = [[]];
  #sorts = 0;
  #made = 0;

  constructor(random) {
    this.random = random;
  }

  get head() {
    return this.states.length - 1;
  }

  at(revision = this.head) {
    return this.states[revision];
  }

  /** One tick: a few things happen in the rooms. */
  step() {
    const rooms = new Map(this.at().map((row) => [row.id, { ...row }]));
    const rev = this.states.length;
    for (let happened = this.random.below(4); happened >= 0; happened--) this.#happen(rooms, rev);
    this.states.push([...rooms.values()].sort((a, b) => a.sort - b.sort));
  }

  #happen(rooms, rev) {
    const row = this.random.pick([...rooms.values()]);
    const kind = this.random.pick(['join', 'say', 'say', 'say', 'read', 'empty', 'leave']);
    if (kind === 'join' || !row) {
      const id = `room-${++this.#made % 9}`;
      if (!rooms.has(id)) rooms.set(id, { id, sort: ++this.#sorts, rev, unread: 0, read: rev });
    } else if (kind === 'say') Object.assign(row, { rev, sort: ++this.#sorts, unread: row.unread + 1, last: { id: `m${rev}`, author: 'bob', time: rev, text: `said ${rev}` } });
    else if (kind === 'read') Object.assign(row, { rev, unread: 0, read: rev });
    else if (kind === 'empty') Object.assign(row, { rev, unread: 0, last: undefined });
    else rooms.delete(row.id);
  }

  #proof(revision) {
    const rows = this.at(revision);
    return { count: rows.length, digest: slowDigest(rows.slice(-32)) };
  }

  snapshot() {
    const head = { type: 'snapshot', list: 'me/rooms', epoch: 'one', revision: this.head, joined: this.head, why: 'fresh', more: false };
    return plain({ ...head, sections: [{ id: 'rooms', rows: this.at() }], ...this.#proof(this.head) });
  }

  diff(from, to = this.head) {
    const [before, after] = [from, to].map((revision) => new Map(this.at(revision).map((row) => [row.id, row])));
    const parts = { del: [...before.keys()].filter((id) => !after.has(id)), mov: [], ins: [], cfg: [] };
    for (const [id, row] of after) {
      const { sort, rev, unread, read, last } = row;
      const old = before.get(id);
      if (!old) parts.ins.push({ ...row, section: 'rooms' });
      else if (old.sort !== sort) parts.mov.push({ id, section: 'rooms', sort, rev });
      if (old && old.rev !== rev) parts.cfg.push({ id, rev, unread, read, last });
    }
    return plain({ type: 'diff', list: 'me/rooms', epoch: 'one', from, to, ...parts, ...this.#proof(to) });
  }
}

const plain = (frame) => JSON.parse(JSON.stringify(frame));
