/** Somebody's `me/rooms` done the slow way: every state it ever had, and differences by comparing them. */

import { slowDigest } from './model.js';

const SECTIONS = ['invited', 'rooms'];

export class SidebarModel {
  states = [[]];
  epoch = 'one';
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
    for (const row of rooms.values()) if (row.rev === rev) row.tag = tagOf(row);
    this.states.push([...rooms.values()].sort((a, b) => SECTIONS.indexOf(a.section) - SECTIONS.indexOf(b.section) || a.sort - b.sort));
  }

  /** The server is started anew: the rooms are as they were, and nobody knows the former revisions. */
  restart(epoch) {
    this.epoch = epoch;
    this.states = [[], this.at().map((row) => ({ ...row, rev: 1 }))];
  }

  /** The answer to a `resume` with rows, from a server that does not know its position. */
  answer({ revision, rows }) {
    const held = new Map(rows);
    const kept = 1;
    const ins = this.at().filter(({ id, rev, tag }) => rev !== kept || held.get(id) !== tag);
    const del = [...held.keys()].filter((id) => !this.at().some((row) => row.id === id));
    return plain({ ...this.diff(this.head), from: revision, kept, del, ins });
  }

  #happen(rooms, rev) {
    const row = this.random.pick([...rooms.values()]);
    const kind = this.random.pick(['join', 'invite', 'accept', 'entitle', 'say', 'say', 'say', 'type', 'read', 'empty', 'leave']);
    if (kind === 'join' || kind === 'invite' || !row) {
      const id = `room-${++this.#made % 9}`;
      const section = kind === 'invite' ? 'invited' : 'rooms';
      const people = this.random.below(2) ? ['bob', 'cid'] : undefined;
      if (!rooms.has(id)) rooms.set(id, { id, section, sort: ++this.#sorts, rev, unread: 0, mentions: 0, read: rev, people });
    } else if (kind === 'accept') {
      if (row.section === 'invited') Object.assign(row, { section: 'rooms', sort: ++this.#sorts, rev, unread: 0, mentions: 0, read: rev });
    } else if (kind === 'entitle') Object.assign(row, { rev, title: this.random.pick(['Plans', 'Party', undefined]) });
    else if (kind === 'say') Object.assign(row, { rev, sort: ++this.#sorts, unread: row.unread + 1, mentions: row.mentions + this.random.below(2), last: { id: `m${rev}`, author: 'bob', time: rev, text: `said ${rev}` } });
    else if (kind === 'type') Object.assign(row, { rev, typing: row.typing ? undefined : true, here: this.random.pick([true, undefined]) });
    else if (kind === 'read') Object.assign(row, { rev, unread: 0, mentions: 0, read: rev });
    else if (kind === 'empty') Object.assign(row, { rev, unread: 0, mentions: 0, last: undefined });
    else rooms.delete(row.id);
  }

  #proof(revision) {
    const rows = this.at(revision);
    return { count: rows.length, digest: slowDigest(rows.slice(-32)) };
  }

  snapshot() {
    const head = { type: 'snapshot', list: 'me/rooms', epoch: this.epoch, revision: this.head, joined: this.head, why: 'fresh', more: false };
    const sections = SECTIONS.map((id) => ({ id, rows: this.at().filter(({ section }) => section === id).map(({ section, ...row }) => row) }));
    return plain({ ...head, sections, ...this.#proof(this.head) });
  }

  diff(from, to = this.head) {
    const [before, after] = [from, to].map((revision) => new Map(this.at(revision).map((row) => [row.id, row])));
    const parts = { del: [...before.keys()].filter((id) => !after.has(id)), mov: [], ins: [], rel: [], cfg: [] };
    for (const [id, row] of after) {
      const { section, sort, rev, tag, unread, mentions, read, last, title, people, typing, here } = row;
      const old = before.get(id);
      if (!old) parts.ins.push(row);
      else if (old.sort !== sort) parts.mov.push({ id, section, sort, rev, tag });
      if (old && String(old.people) !== String(people)) parts.rel.push(row);
      else if (old && old.rev !== rev) parts.cfg.push({ id, rev, tag, unread, mentions, read, last, title, typing, here });
    }
    return plain({ type: 'diff', list: 'me/rooms', epoch: this.epoch, from, to, ...parts, ...this.#proof(to) });
  }
}

/** The same for equal places and contents, whatever the revision. */
const tagOf = ({ rev, tag, ...row }) => JSON.stringify(Object.entries(row).sort());

const plain = (frame) => JSON.parse(JSON.stringify(frame));
