/**
 * Diffroom's client library: rooms as live lists, over one WebSocket.
 *
 *     const chat = new Diffroom({ url: 'wss://chat.example', user: 'ann', onState: console.log });
 *     const room = chat.subscribe('room/lobby/messages', { onChange: ({ snapshot, changes }) => draw(snapshot, changes) });
 *     chat.send('lobby', 'hello');
 *
 * A replica holds one list and applies frames to it. A connection reconnects by itself, a subscription resumes its
 * list, and the outbox repeats commands that were not answered. `Diffroom` combines them for one user. The types are in
 * diffroom.d.ts.
 */

const FIRST_WAIT = 500; // ms
const LONGEST_WAIT = 30_000; // ms
const GRACE = 10_000; // ms of silence beyond the heartbeat that mean a dead connection
const SETTLED = 5_000; // ms after which a connection that ends counts as a good one
const TYPING_AGAIN = 3_000; // ms after which typing is repeated: the server forgets it after 5 s
const PROVEN_ROWS = 32; // the number of rows at the end of a list that its digest covers
const MOST_RANGES = 16; // the number of ranges that a `resume` can name
const MOST_HELD = 500; // the number of rows that it names, so that a server accepts its frame
const MOST_MENTIONS = 100; // the number of rows of `me/mentions`: where there are fewer, there are no older ones
const MOST_ASKED = 200; // the number of people that one request can ask for, and of rooms that one marks as read
const MOST_LINKS = 100; // the number of files that one request can ask the links of
const MOST_TRIES = 8; // of an upload, without another byte at the server
const STALLED = 60_000; // ms without progress after which an upload is tried anew
const MOST_NAME = 255; // bytes of a file's name
// The phases of a subscription: `ENDED` before the first handle and after the last one; `ASKED` after a subscribe; `LIVE`
// with its answer; `UNANSWERED` if that was lost or an error, and while the next subscribe waits.
const ENDED = 0;
const ASKED = 1;
const UNANSWERED = 2;
const LIVE = 3;
const MENTIONS = 'me/mentions';
const ROOMS = 'me/rooms';
const PINS = 'pins'; // the section of pinned messages
const DRAFTS = 'drafts'; // the section of `me/drafts`
const FINAL = new Set([1003, 1007, 1009]); // close codes for a frame that the server cannot accept: a repeat would not help
const ONLINE = 'online';
const WAITING = 'waiting';
const STOPPED = 'stopped';
const LOST = 'lost'; // the type of an answer that never came because its connection has ended

/**
 * The new row that each operation of a diff makes of the old one; none removes the row. In the order of application.
 */
const OPERATIONS = {
  del: () => undefined,
  mov: (row, op) => ({ ...row, ...op }),
  ins: (row, op) => op,
  rel: (row, op) => ({ ...op, section: row.section, sort: row.sort }),
  cfg: (row, op) => ({ ...heavyOf(row), ...op, section: row.section, sort: row.sort }),
  rea: (row, op) => ({ ...row, rev: op.rev, reactions: patched(row.reactions, op) }),
};

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
 * not. Of a draft all fields are light.
 */
function heavyOf({ tag, reactions, typing, read, unread, by, last, title, name, picture, muted, marked, here, ...heavy }) {
  if (heavy.section !== PINS && heavy.section !== DRAFTS) return heavy;
  const { text, replyTo, mentions, everyone, data, files, edited, ...rest } = heavy;
  return rest;
}

const { freeze } = Object;
const { stringify } = JSON;
const { max, min } = Math;

const nothing = () => {};

const refuse = (verdict, why) => ({ verdict, why });

/** Throws because a frame contradicts the held rows. */
function contradict(why) {
  throw { why };
}

const stateOf = ({ tag, rev }) => tag ?? rev;

const rowsOf = ({ sections }) => sections.flatMap(({ rows }) => rows);

const same = (one, other) => one.section === other.section && one.sort === other.sort;

/** Returns the rows of a row's section, and its index in them: O(log rows). */
function placeIn(sections, { section, sort }) {
  const { rows } = sections.find(({ id }) => id === section);
  return [rows, lowerBound(rows, sort)];
}

/** Puts a row into its place in the sections, instead of another one. Either may be missing. */
function replace(sections, old, row) {
  if (old) {
    const [rows, from] = placeIn(sections, old);
    // While rows change places, two can have one sort key, so look for the row itself from there on.
    rows.splice(rows.indexOf(old, from), 1);
  }
  if (row) {
    const [rows, at] = placeIn(sections, row);
    rows.splice(at, 0, row);
  }
}

/**
 * Rows ordered by (section, sort), each known by its id. A change is made whole or not at all.
 *
 * Rows that a caller has read stay as they are: a changed row is another object, and each change begins with a copy of
 * the sections' lists of rows. Binary search and a map find a row.
 */
function orderedRows() {
  let sections = [];
  const byId = new Map();
  let touched; // the former state of each row that the current change has touched
  const index = (id, row) => (row ? byId.set(id, row) : byId.delete(id));
  const first = () => sections.find(({ rows }) => rows.length)?.rows[0];

  /** Lets `action` change rows: all of it or, if it throws, nothing. Returns the former state of each touched row. */
  function change(action) {
    const before = sections;
    sections = before.map(({ id, rows }) => ({ id, rows: [...rows] }));
    touched = new Map();
    try {
      action(touched);
      return touched;
    } catch (error) {
      sections = before;
      for (const [id, row] of touched) index(id, row);
      throw error;
    }
  }

  /** Puts a row into its place, or removes it if `row` is missing. */
  function put(id, row) {
    if (row && !(id.length && [row.sort, row.rev].every(Number.isSafeInteger))) contradict();
    const old = byId.get(id);
    if (!touched.has(id)) touched.set(id, old);
    replace(sections, old, row);
    index(id, row);
  }

  /** Removes all rows, and sets the sections. */
  function clear(others) {
    for (const [id, row] of byId) touched.set(id, row);
    byId.clear();
    sections = others.map(({ id }) => ({ id, rows: [] }));
  }

  return { byId, sections: () => sections, first, change, put, clear, placeOf: (row) => placeIn(sections, row) };
}

/** Returns the first index whose row's sort is not below `sort`. */
export function lowerBound(rows, sort) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].sort < sort) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Throws if two of the touched rows have one place. */
function checkOrder(rows, touched) {
  for (const id of touched.keys()) {
    const row = rows.byId.get(id);
    const [those, index] = row ? rows.placeOf(row) : [[]];
    if (those[index] !== row || (row && those[index + 1]?.sort === row.sort)) contradict();
  }
}

/** Returns the changes of an action, from the former states of the touched rows. */
function changesOf(why, rows, touched, reloaded) {
  const changes = noChanges(why);
  for (const [id, old] of touched) {
    const row = rows.get(id);
    if (old && !row) changes.deleted.push(id);
    else if (row && !old) changes.inserted.push(row);
    else if (row) {
      if (!same(old, row)) changes.moved.push(row);
      if (reloaded?.has(id)) changes.reloaded.push(row);
      else if (same(old, row) && stateOf(row) !== stateOf(old)) changes.reconfigured.push(row);
    }
  }
  return changes;
}

const noChanges = (why) => ({ why, deleted: [], inserted: [], moved: [], reloaded: [], reconfigured: [] });

// Ranges of sort keys: `[from, to]` with both ends, ascending, with gaps between them. The last one has no end.

const WHOLE = [[0, Infinity]];

const holds = (ranges, { sort }) => ranges.some(([from, to]) => from <= sort && sort <= to);

/** Returns the ranges with another one. Those that overlap or touch become one. */
function join(ranges, from, to) {
  if (from > to) return ranges;
  const joined = [];
  for (const range of [...ranges, [from, to]].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (range[0] <= last?.[1] + 1) last[1] = max(last[1], range[1]);
    else joined.push([...range]);
  }
  return joined;
}

/** Returns the parts of the ranges that lie in others. */
function intersect(ranges, others) {
  const parts = others.flatMap(({ from, to = Infinity }) => ranges.map((range) => [max(range[0], from), min(range[1], to)]));
  return parts.reduce((all, part) => join(all, ...part), []);
}

/** Returns the ranges of a list that begins at `start`: what is before that is no gap. */
function begin(ranges, start = 0) {
  const left = ranges.filter(([, to]) => to >= start);
  return left[0][0] > start ? left : join(left, 0, start);
}

let gapsMade = 0;

/** Returns the gaps between ranges. One that was there keeps its id; of two parts of one, the later keeps it. */
function gapsOf(ranges, { gaps = [], joined, sections }, count) {
  const made = [];
  for (let index = ranges.length; --index; ) {
    const [[, after], [sort]] = ranges.slice(index - 1);
    const known = gaps.findLast((gap) => gap.after < sort - 1 && after < gap.sort - 1 && made.every(({ id }) => id !== gap.id));
    const gap = { id: known?.id ?? `gap-${++gapsMade}`, section: sections[+(sort > joined)].id, sort, after, count };
    made.unshift(stringify(gap) === stringify(known) ? known : gap);
  }
  return made;
}

/** A reader's copy of one list: its end, and what else the reader has asked for. It knows no socket and no clock. */
class Replica {
  /** Another object after each change; its content never changes. */
  state;
  #rows = orderedRows();
  #isMessages;
  #idBytes;
  #newestPage = 0; // a page's rows can be newer than the list, so digests count only from this revision on
  #at = Infinity; // the sort key that the user looked at when the list was last resumed

  placeOf = this.#rows.placeOf;

  constructor(list) {
    this.#isMessages = list.endsWith('/messages');
    this.#idBytes = this.#isMessages || list.endsWith('/pins') ? uuidBytes : textBytes;
    this.#become({ list, count: 0 }, WHOLE);
  }

  /** Applies a `snapshot`, `diff` or `page` frame: all of it, or nothing. */
  apply(frame) {
    const rows = this.#rows;
    const reloaded = new Set();
    let refusal;
    try {
      const apply = { snapshot: this.#snapshot, diff: this.#diff, page: this.#page }[frame.type];
      const touched = rows.change((touched) => (refusal = apply.call(this, frame, rows, touched, reloaded)));
      return refusal ?? { verdict: 'applied', changes: changesOf(frame.type, this, touched, reloaded) };
    } catch ({ why = 'malformed' }) {
      return refuse('restart', why);
    }
  }

  #become(fields, ranges) {
    const more = ranges[0][0] > 0;
    const state = { ...this.state, ...fields, ranges, more, sections: this.#rows.sections() };
    const missing = more || ranges[2] ? undefined : state.count - this.#rows.byId.size;
    this.state = freeze({ ...state, gaps: gapsOf(ranges, state, missing) });
  }

  /** Removes the rows outside of the ranges. */
  #leave(ranges) {
    for (const row of this.#rows.byId.values()) if (!holds(ranges, row)) this.#rows.put(row.id);
  }

  /** Drops ranges that a `resume` could not name: those that are farthest from a sort key. */
  #nearest(ranges, sort) {
    if (ranges.length <= MOST_RANGES) return ranges;
    const [first, last] = [ranges[0], ranges.at(-2)];
    const far = sort - first[1] > last[0] - sort ? first : last;
    const left = ranges.filter((range) => range !== far);
    this.#leave(left);
    return this.#nearest(left, sort);
  }

  #diff(frame, rows, touched, reloaded) {
    const { epoch, from, to, count, counts, missing, start, kept, groups = [], ranges: left, ...operations } = frame;
    const { state } = this;
    const moves = kept >= 0; // it begins with the held rows, in whatever epoch they are
    const here = moves || epoch === state.epoch;
    if (!moves && here && to <= state.revision) {
      if (to === state.revision) this.#prove(frame, state.ranges, to);
      if (to < state.revision || !left) return refuse('ignored', 'duplicate');
    } else if (!here || from !== state.revision) return refuse('resume', here ? 'gap' : 'other_epoch');
    for (const key in operations) if (Array.isArray(frame[key]) && !OPERATIONS[key]) contradict('unknown_operation');
    const seen = new Map();
    if (moves) keep(rows, kept, groups, frame.ins);
    for (const kind in OPERATIONS) for (const op of frame[kind] ?? []) operate(rows, kind, op, seen, touched, reloaded, moves);
    let ranges = left ? intersect(state.ranges, left) : state.ranges;
    if (frame.ins?.some((row) => !holds(ranges, row))) contradict();
    if (left) this.#leave(ranges);
    // Rows before the list's beginning were trimmed.
    while (rows.first()?.sort < start) rows.put(rows.first().id);
    ranges = begin(ranges, start);
    checkOrder(rows, touched);
    this.#prove(frame, ranges, to);
    this.#become({ epoch, revision: to, count, counts, missing }, rows.byId.size === count ? WHOLE : this.#nearest(ranges, this.#at));
  }

  #snapshot({ epoch, revision, joined, more, count, counts, missing, digest, sections, kept }, rows, touched, reloaded) {
    rows.clear(sections);
    for (const { id: section, rows: those } of sections)
      for (const row of those) {
        if (epoch !== this.state.epoch || touched.get(row.id)?.rev !== row.rev) reloaded.add(row.id);
        rows.put(row.id, { ...row, section });
      }
    checkOrder(rows, touched);
    const ranges = more ? [[rows.first().sort, Infinity]] : WHOLE;
    if (!kept) this.#prove({ count, digest }, ranges); // what an earlier client held is proved by the next diff
    this.#newestPage = 0;
    this.#become({ epoch, revision, joined, count, counts, missing }, ranges);
  }

  #page({ epoch, revision, from, to, rows: those }, rows, touched, reloaded) {
    const { state } = this;
    if (epoch !== state.epoch) return refuse('ignored', 'other_epoch');
    // Rows that were deleted since would come back.
    if (revision < state.revision) return refuse('again', 'stale_page');
    for (const row of those) {
      if (!holds([[from, to]], row)) contradict();
      const old = rows.byId.get(row.id);
      // A row that is missing in a held range is one that a diff will bring.
      if (old ? row.rev <= old.rev : holds(state.ranges, row)) continue;
      reloaded.add(row.id);
      rows.put(row.id, { ...row, section: old?.section ?? state.sections[+(row.sort > state.joined)].id });
    }
    checkOrder(rows, touched);
    this.#newestPage = max(this.#newestPage, revision);
    const ranges = join(state.ranges, from, min(to, state.revision));
    this.#become({}, this.#nearest(ranges, from));
  }

  /** Drops all but the newest `keep` rows; they can be paged in again. */
  trim(keep) {
    const rows = this.#rows;
    const excess = rows.byId.size - keep;
    if (excess <= 0) return;
    const touched = rows.change(() => {
      const sections = rows.sections();
      rows.clear(sections);
      for (const row of rowsOf({ sections }).slice(excess)) rows.put(row.id, row);
    });
    this.#become({}, intersect(this.state.ranges, [{ from: rows.first().sort }]));
    return changesOf('trim', this, touched);
  }

  /** Throws unless the held rows agree with the frame's proofs, as far as they can be checked. */
  #prove({ count, digest, ranges: proven = [] }, ranges, revision = this.#newestPage) {
    if (revision < this.#newestPage) return;
    const { size } = this.#rows.byId;
    const depth = min(PROVEN_ROWS, count);
    const [tail] = ranges.at(-1);
    const last = this.#rows.sections().flatMap(({ rows }) => rows.slice(-PROVEN_ROWS)).slice(-depth || size);
    const isWhole = ranges.length === 1 && !tail;
    const isCovered = size >= depth && !(last[0]?.sort < tail);
    if (size > count || (isWhole && size < count) || (isCovered && this.#digest(last) !== digest)) contradict('diverged');
    for (const { from, to = Infinity, count, digest } of proven) {
      const part = [...this.#rows.byId.values()].filter((row) => holds([[from, to]], row));
      if (count >= 0 && (part.length !== count || this.#digest(part) !== digest)) contradict('diverged');
    }
  }

  #digest(rows) {
    return rows.reduce((sum, row) => (sum + rowHash(row, this.#idBytes)) >>> 0, 0);
  }

  get(id) {
    return this.#rows.byId.get(id);
  }

  /** `at`: the sort key of the row that the user looks at, if any. */
  resume(at) {
    const { epoch, revision, joined, ranges } = this.state;
    this.#at = at ?? Infinity;
    const held = ranges.map((range) => range.map((sort) => min(sort, revision)));
    // Messages that were kept without `joined` are only shown until the server's come.
    if (epoch && joined >= 0) return { epoch, revision, joined, ...(this.#isMessages ? { ranges: held, at } : naming(rowsOf(this.state))) };
  }
}

/** Names the held rows in a `resume`, or their sums if they are many, if each has a tag. */
function naming(rows) {
  if (!rows.length || !rows.every(({ tag }) => tag)) return {};
  return rows.length > MOST_HELD ? { sums: sumsOf(rows) } : { rows: rows.map(({ id, tag }) => [id, tag]) };
}

/** Begins a diff with the held rows, without those that its groups have not. */
function keep(rows, rev, groups, ins = []) {
  const others = new Set(groups);
  const named = new Set(ins.map(({ id }) => id));
  for (const row of rows.byId.values()) {
    const isGone = others.size && others.has(groupOf(row.id)) && !named.has(row.id);
    rows.put(row.id, isGone ? undefined : { ...row, rev });
  }
}

/** Applies one operation of a diff; `seen` has the last operation of each row. `anew`: whatever `rev` the rows had. */
function operate(rows, kind, op, seen, touched, reloaded, anew) {
  const id = op.id ?? op;
  const row = rows.byId.get(id);
  const moves = seen.get(id) === 'mov' && /re|cfg/.test(kind);
  if (seen.has(id) && !moves) contradict();
  seen.set(id, kind);
  if (!row && kind !== 'ins') return;
  // Two operations of one diff may touch one row, both with its new rev. Compare with the rev before the diff.
  if (!anew && op.rev <= (touched.has(id) ? touched.get(id) : row)?.rev) return;
  if (/ins|rel/.test(kind)) reloaded.add(id);
  rows.put(id, OPERATIONS[kind](row, op));
}

export const replica = (list) => new Replica(list);

const hashes = new WeakMap(); // rows never change, so neither do their hashes

/** FNV-1a/32 over (id bytes, sort, rev), the numbers as 8 bytes big endian. */
function rowHash(row, idBytes) {
  let hash = hashes.get(row);
  if (hash) return hash;
  hash = 0x811c9dc5;
  const mix = (byte) => (hash = Math.imul(hash ^ byte, 0x01000193));
  idBytes(row.id).forEach(mix);
  for (const number of [row.sort, row.rev]) for (let bit = 56; bit >= 0; bit -= 8) mix((number / 2 ** bit) & 255);
  hash >>>= 0;
  hashes.set(row, hash);
  return hash;
}

const groupOf = (id) => textBytes(id).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5) & 255;

/** The sums of rows, in their order: of each group the beginning of a hash of its ids and tags. */
export function sumsOf(rows) {
  const groups = Array.from({ length: 256 }, () => '');
  for (const { id, tag } of rows) groups[groupOf(id)] += `${id}\n${tag}\n`;
  return groups.map((text) => sha256(textBytes(text)).slice(0, 32)).join('');
}

const PRIMES = [2];
for (let number = 3; PRIMES.length < 64; number++) if (PRIMES.every((prime) => number % prime)) PRIMES.push(number);

/** The first 32 bits behind the point of the roots of primes, from which SHA-256 has its constants. */
const fractions = (primes, root) => Uint32Array.from(primes, (prime) => (prime ** (1 / root) % 1) * 2 ** 32);
const SHA_CONSTANTS = fractions(PRIMES, 3);

/** SHA-256 as hexadecimal digits, by FIPS 180-4. Pages from plain HTTP have no `crypto.subtle`, and a `resume` cannot wait for it. */
function sha256(bytes) {
  const data = new Uint8Array((bytes.length + 72) & ~63);
  data.set(bytes);
  data[bytes.length] = 0x80;
  const view = new DataView(data.buffer);
  view.setUint32(data.length - 4, bytes.length * 8);
  const state = fractions(PRIMES.slice(0, 8), 2);
  const words = new Uint32Array(64);
  const turn = (word, bits) => (word >>> bits) | (word << (32 - bits));
  for (let start = 0; start < data.length; start += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(start + 4 * i);
    for (let i = 16; i < 64; i++) {
      const [early, late] = [words[i - 15], words[i - 2]];
      words[i] = words[i - 16] + words[i - 7] + (turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)) + (turn(late, 17) ^ turn(late, 19) ^ (late >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const sum = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + SHA_CONSTANTS[i] + words[i]) | 0;
      const other = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e] = [g, f, e, (d + sum) | 0];
      [d, c, b, a] = [c, b, a, (sum + other) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, place) => (state[place] += value));
  }
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
}

const textBytes = (id) => new TextEncoder().encode(id);
const uuidBytes = (id) => id.replaceAll('-', '').match(/../g).map((pair) => parseInt(pair, 16));

/**
 * Returns a random UUID (version 4). Pages from plain HTTP have no `crypto.randomUUID`, and Node 18 has no `crypto`.
 */
export function uuid() {
  const byte = () => globalThis.crypto?.getRandomValues(new Uint8Array(1))[0] ?? Math.random() * 256;
  const digit = (mask) => (mask ^ (byte() & (15 >> (mask / 4)))).toString(16);
  return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, digit);
}

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

const PART = '\\p{L}\\p{M}\\p{Nd}_'; // the characters that a name goes on with
// Scripts that put no spaces between words: South-East Asian ones, Han, kana, Hangul.
const UNSPACED = /[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\u3000-\u31ff\u3400-\ua4cf\ua960-\ua97f\ua9e0-\ua9ff\uaa60-\uaadf\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\u{1aff0}-\u{1b16f}\u{20000}-\u{3ffff}]/u.source;
// An `@` where a name can begin: behind no letter but one of these scripts, and no other part of an address.
const SIGN = `(?<!(?!(?=[\\p{L}\\p{M}])${UNSPACED})[${PART}.@＠/-])[@＠]`;
const WORD = `(?=\\p{L})${UNSPACED}`; // a letter with which another word begins behind a name

/**
 * Splits a text, in normal form C, at the names that it calls with `@`: what is before the first, its name, what is
 * between the two, the second name, and so on. A name is the longest of `people` that stands there, or looks like one.
 */
export function splitAtMentions(text, people = []) {
  // Backwards: a longer name comes before a shorter one that it begins with.
  const names = [...people].sort().reverse().map((name) => name.replace(/[$(-+.?[-^{-}]/g, '\\$&') + '|').join('');
  return text.normalize().split(RegExp(`${SIGN}((?:${names}room(?=${WORD}))(?!(?!${WORD})[${PART}])|[${PART}.-]*[${PART}])`, 'u'));
}

const BEGUN = RegExp(`${SIGN}([^@＠\\n]{0,64})$`, 'u');

/** Returns the place of the `@` at which a name is being typed at the end of a text, and what is typed of it: `{at, typed}`. */
export function begunMention(text) {
  const found = BEGUN.exec(text);
  return found && { at: found.index, typed: found[1] };
}

/** Returns the people whom a text calls with `@`, for `send` and `edit`. */
export const mentionsIn = (text, people) => callsIn(text, people).mentions;

/** Returns whether a text calls everybody, with `@room`: unless a person has that name. */
export const everyoneIn = (text, people) => callsIn(text, people).everyone;

function callsIn(text, people = []) {
  const names = new Set(splitAtMentions(text, (people = [...people])).filter(isName));
  const everyone = !people.includes('room') && names.delete('room');
  return { mentions: [...names].slice(0, 50), everyone };
}

// A name contains no invisible character, unless it makes an emoji.
const isName = (part, index) =>
  index % 2 && textBytes(part).length < 65 && !/^\p{M}|(?<!(?!\d)\p{Emoji}|\uFE0F|\d(?=\uFE0F\u20E3))\p{DI}/u.test(part);

/** The environment of the client; tests bring their own. */
const browser = {
  WebSocket: globalThis.WebSocket,
  now: () => performance.now(),
  random: Math.random,
  after: (delay, action) => setTimeout(action, delay),
  cancel: (timer) => clearTimeout(timer),
  fetch: globalThis.document && ((url, options) => fetch(url, options)),
  subtle: globalThis.crypto?.subtle,
  transfer: globalThis.XMLHttpRequest ? transferByPage : transferByFetch,
};

/** Makes a request over HTTP in a browser, which reports the bytes that it has sent. Rejects if there is no answer. */
function transferByPage(method, url, { headers, body, signal, onprogress }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const name in headers) request.setRequestHeader(name, headers[name]);
    request.upload.onprogress = ({ loaded }) => onprogress(loaded);
    // A browser complains of `getResponseHeader` for one that another origin does not let it read.
    const offset = () => /^upload-offset: *(\d+)/im.exec(request.getAllResponseHeaders())?.[1] ?? null;
    request.onload = () => resolve({ status: request.status, offset: offset(), text: request.responseText });
    request.onerror = request.onabort = reject;
    signal.addEventListener('abort', () => request.abort());
    request.send(body);
  });
}

/** The same in Node, where no progress is reported. */
async function transferByFetch(method, url, { headers, body, signal }) {
  const request = { method, headers, body, signal };
  const answer = await fetch(url, request);
  return { status: answer.status, offset: answer.headers.get('upload-offset'), text: await answer.text() };
}

/**
 * Returns why the server refuses this page's origin; `undefined` when it does not. A browser does not tell a page why a
 * WebSocket could not open, but the page may read the server's refusal of a plain request.
 */
async function originRefused(url, env) {
  try {
    const answer = await env.fetch?.(url.replace(/^ws/i, 'http'), { cache: 'no-store', credentials: 'omit' });
    return answer?.status === 403 ? (await answer.text()).trim() : undefined;
  } catch {
    return undefined; // it cannot be reached, or has an answer that is not for this page: the network decides
  }
}

/** Returns an error that has the name, the reason and the field of the server's. */
const refusal = ({ error, reason, field, message }) => Object.assign(Error(message), { error, reason, field });

/** Returns whether the same request may succeed later. */
const passes = ({ error }) => error === 'unavailable' || error === 'rate_limited';

/** Returns a wait with full jitter after the server's, so that clients that lost one server do not return together. */
const jitter = ({ random }, tries, retryAfter = 0) => retryAfter + random() * min(LONGEST_WAIT, FIRST_WAIT * 2 ** tries);

/** Returns the frame in a message; nothing if there is none. */
function frameOf(data) {
  try {
    const frame = JSON.parse(data);
    return frame.type && frame;
  } catch {}
}

/** The requests over one socket, with their answers. The server accepts only so many at once: the others wait. */
function requests(env, client, transmit) {
  const answers = new Map();
  const waiting = [];
  let lastRef = 0;

  const numbered = (frame, answer) => stringify({ ref: answers.set(++lastRef, answer) && lastRef, ...frame });
  const hasRoom = () => answers.size - waiting.length < client.welcome?.limits.pending;

  function flush() {
    while (waiting[0] && hasRoom()) transmit(waiting.shift());
  }

  return {
    hasRoom,
    /** Sends a frame that is answered without work before those that wait, and measures the time. */
    measure(frame, handle) {
      const since = env.now();
      const answered = (answer) => {
        if (answer.type !== LOST) client.latency = env.now() - since;
        handle?.(answer);
      };
      transmit(numbered(frame, answered));
    },
    enqueue(frame, handle) {
      waiting.push(numbered(frame, handle));
      flush();
    },
    /** Passes an answer on; returns whether the frame was an answer. */
    answer(frame) {
      const handle = answers.get(frame.ref);
      answers.delete(frame.ref);
      handle?.(frame);
      flush();
      return handle;
    },
    /** Ends all requests: no answer will come. */
    cancel: (code) => answers.forEach((handle) => handle({ type: LOST, code })),
  };
}

/** Pings when either side of a connection is silent for a heartbeat, and calls `died` if nothing comes after that. */
function watchdog(env, measure, died) {
  let receivedAt = env.now();
  let sentAt = receivedAt;
  let awaitedSince = receivedAt; // the time since which a frame of any kind is awaited
  let heartbeat = 25_000; // until the server names another
  let timer;

  const due = () => (awaitedSince + GRACE || min(receivedAt, sentAt) + heartbeat) - env.now();

  function ping() {
    awaitedSince ??= env.now();
    measure({ type: 'ping' });
  }

  /** Checks both sides for silence, now and whenever the next check is due. */
  function watch() {
    env.cancel(timer);
    if (!awaitedSince && due() <= 0) ping();
    if (due() > 0) timer = env.after(due(), watch);
    else died();
  }

  /** Notes that a frame came. A hidden page's timers are late, but its frames are not. */
  function received(frame) {
    receivedAt = env.now();
    awaitedSince = undefined;
    heartbeat = frame?.heartbeat ?? heartbeat;
    watch();
  }

  watch();
  return { ping, watch, received, sent: () => (sentAt = env.now()), unwatch: () => env.cancel(timer) };
}

/** The requests over one socket, and the silence on it. */
function conversation(env, client, socket, died) {
  const exchange = requests(env, client, (text) => {
    silence.sent();
    if (!(socket.readyState > 1)) socket.send(text); // a browser complains of what comes after the end, which is lost
  });
  const silence = watchdog(env, exchange.measure, died);
  return { ...exchange, ...silence };
}

/** Calls `send` with the user's identity. A `token` that is a function is called for one; `failed` gets the error if it rejects. */
function identify({ user, token }, send, failed) {
  const pass = (token) => send(token ? { token } : { user });
  if (token?.call) token().then(pass, failed);
  else pass(token);
}

/** One connection, from its socket to its end, at which it calls `lost` once. */
function connection(options, env, client, { welcomed, received, answered, lost }) {
  const socket = new env.WebSocket(options.url, 'diffroom.v1.json');
  const exchange = conversation(env, client, socket, () => end({ code: 4000, reason: 'silent' }));
  let bye, onlineAt, hasEnded;

  const introduce = (type, answer) =>
    identify(options, (who) => hasEnded || exchange.measure({ type, ...who }, answer), ({ message }) => onlineAt ?? end({ reason: message }));

  function greeted(answer) {
    if (answer.type === 'welcome') {
      onlineAt = env.now();
      welcomed(answer);
    } else if (answer.type !== LOST) end({ ...answer, reason: answer.message, stays: !passes(answer) });
  }

  function handle({ data }) {
    if (hasEnded) return;
    const frame = frameOf(data);
    exchange.received(frame);
    if (!frame) end({ code: 1002, reason: 'not a frame' });
    else if (exchange.answer(frame)) answered();
    else if (frame.type === 'bye') bye = frame;
    else if (frame.type === 'expiring') introduce('token');
    else received(frame);
  }

  function end(event) {
    if (hasEnded) return;
    hasEnded = true;
    exchange.unwatch();
    socket.close();
    const { code, reason, error, retryAfter = 0, stays } = (!event.stays && bye) || event; // not own properties of a CloseEvent
    const isFinal = stays || code >= 4500 || (!onlineAt && FINAL.has(code));
    lost({ code, reason, error }, isFinal, retryAfter, env.now() > onlineAt + SETTLED);
    exchange.cancel(code);
  }

  Object.assign(socket, { onopen: () => introduce('hello', greeted), onmessage: handle, onclose: end });
  return { ...exchange, end };
}

/** Listens for a page's network events, or stops that. Adding a listener again changes nothing. */
function listen(how, hurry, watch) {
  globalThis[how]?.('online', hurry);
  globalThis.document?.[how]('visibilitychange', watch);
}

/**
 * A connection that reconnects until it is closed or must stay away.
 *
 * States: `connecting` → `online` → `waiting` (for the next try) → `connecting` …; `stopped` after `close()`, a refused
 * hello, a refused origin or a close code from 4500 to 4999: only `connect()` leaves it.
 *
 * Returns what the other parts use of it, and what a client's user does.
 */
function reconnecting(options, env, client, handlers) {
  let here, timer;
  let [tries, soonest] = [0, 0]; // the failed tries, and when the server allows the next one
  const watch = () => here?.watch();
  const online = () => client.state === ONLINE && here;
  const stop = (why) => (here ? here.end({ ...why, stays: true }) : become(STOPPED, why));

  /** Every state but `stopped` listens to the page, and only `waiting` has a timer. */
  function become(state, detail) {
    env.cancel(timer);
    listen(state === STOPPED ? 'removeEventListener' : 'addEventListener', hurry, watch);
    if (state === WAITING) timer = env.after(detail.delay, connect);
    client.state = state;
    options.onState?.({ state, tries, ...detail });
    if (state === ONLINE) handlers.welcomed(detail.welcome);
  }

  function connect() {
    if (here) return;
    here = connection(options, env, client, { ...handlers, lost, welcomed: (welcome) => become(ONLINE, { welcome }) });
    become('connecting');
  }

  function lost(why, isFinal, retryAfter, hasWorked) {
    here = null;
    if (hasWorked) tries = 0;
    if (isFinal) return become(STOPPED, why);
    if (why.code === 1006 && !tries) originRefused(options.url, env).then((reason) => reason && client.state !== STOPPED && !online() && stop({ code: 1006, reason }));
    soonest = env.now() + retryAfter;
    become(WAITING, { ...why, delay: jitter(env, tries++, retryAfter) });
  }

  /** The network is back: tries soon, with a jitter against a crowd. If there is a connection, a ping tests it. */
  function hurry() {
    if (client.state === WAITING) become(WAITING, { delay: max(soonest - env.now(), 0) + jitter(env, 0) });
    else if (online()) here.ping();
  }

  return [{ online, request: requesting(env, online) }, { connect, hurry, close: () => stop({ code: 1000 }) }];
}

/** Returns a function that sends a frame over the connection, if there is one, and repeats it when that may help, as long as it is wanted. */
function requesting(env, online) {
  return function request(frame, handle = nothing, isWanted = () => true) {
    const repeat = () => isWanted() && request(frame, handle, isWanted);
    const answered = (answer) => (passes(answer) ? env.after(jitter(env, 0, answer.retryAfter), repeat) : handle(answer));
    if (online()) online().enqueue(frame, answered);
    else handle({ type: LOST });
  };
}

const listOf = ({ frame }) => `room/${frame.room}/messages`;
const roomOf = (list) => /^room.(.+).messages$/.exec(list)?.[1];

const STATING = new Set(['join', 'leave', 'settings']);

/** Whether a command waits for the answer to one before it: of those that state a result the last one of a room counts. */
const follows = ({ frame: { type, room } }, stated) => STATING.has(type) && stated.size === stated.add(room).size;

/** The commands without a final answer, in order. They outlive connections. */
function outbox(env, client, link, changed) {
  const entries = new Map();
  const outcomes = outcomesOf(entries, changed);
  const flush = sender(env, client, link, entries, outcomes);

  function add(key, frame, row) {
    const promise = new Promise((resolve, reject) => entries.set(key, { key, frame, row, resolve, reject }));
    promise.catch(nothing); // a refused message reports it in its pending row
    flush();
    changed({ frame, row });
    return promise;
  }

  /** Repeats everything after a reconnect; the server knows a repeat by its id. */
  function repeat() {
    for (const entry of entries.values()) entry.sent = false;
    flush();
  }

  return { add, flush, repeat, ...outcomes };
}

/** Returns a function that sends those of the commands that can be sent now. It also calls that after each answer. */
function sender(env, client, link, entries, { succeed, refuse }) {
  const soonest = new Map(); // room → when its commands may be sent again, so that none overtakes one that must wait
  let underWay = 0;
  let isWary = false; // a command has ended the connection, so they go one at a time until it is found

  function flush() {
    const here = link.online();
    if (!here) return;
    const [{ text: limit }, stated] = [client.welcome.limits, new Set()];
    for (const entry of entries.values()) {
      if (!here.hasRoom() || (isWary && underWay)) return;
      if (env.now() < soonest.get(entry.frame.room) || follows(entry, stated) || entry.sent || entry.row?.error) continue;
      const isAlone = isWary;
      entry.sent = ++underWay;
      sendCommand(here, limit, entry.frame, (answer) => handle(entry, answer, isAlone));
    }
    isWary = false;
  }

  function handle(entry, answer, isAlone) {
    const { type, code, error, retryAfter } = answer;
    underWay--;
    if (type === 'ok') succeed(entry, answer);
    else if (isAlone && FINAL.has(code)) refuse(entry, { error: 'too_large', reason: 'frame', message: `connection lost: ${code}` });
    else if (type !== LOST && !passes(answer)) refuse(entry, answer);
    else {
      entry.sent = false;
      isWary ||= FINAL.has(code);
      if (error) pause(entry.frame.room, jitter(env, 0, retryAfter));
    }
    flush();
  }

  function pause(room, delay) {
    soonest.set(room, env.now() + delay);
    env.after(delay, flush);
  }

  return flush;
}

/** Sends a command, unless its text is longer than the server allows: then that is its answer. */
function sendCommand(here, limit, frame, handle) {
  const size = textBytes(frame.text).length;
  if (size > limit) handle({ error: 'too_large', reason: 'too_long', field: 'text', message: `text: has ${size} bytes, at most ${limit} are taken` });
  else here.enqueue(frame, handle);
}

/** The outcomes of commands. A message is kept until its list shows it. */
const outcomesOf = (entries, changed) => ({
  succeed(entry, { list, revision }) {
    entry.resolve({ id: entry.frame.id, list, revision });
    entry.revision = revision;
    // A message stays pending until its list has reached its revision.
    if (!entry.row) entries.delete(entry.key);
    changed(entry);
  },

  refuse(entry, answer) {
    const { error, reason, field, message } = answer;
    entry.reject(refusal(answer));
    if (entry.row) entry.row = { ...entry.row, error, ...(reason && { reason }), ...(field && { field }), message };
    else entries.delete(entry.key);
    changed(entry);
  },

  /** Ends the pending state of messages that the list shows. */
  confirm(list, inserted, revision) {
    for (const { id } of inserted) {
      entries.get(id)?.resolve({ id, list, revision });
      entries.delete(id);
    }
    for (const [key, entry] of entries) if (entry.revision <= revision && listOf(entry) === list) entries.delete(key);
  },

  pending: (list) => [...entries.values()].flatMap((entry) => (entry.row && listOf(entry) === list ? entry.row : [])),

  /** Forgets a message that was refused. */
  discard(id) {
    const entry = entries.get(id);
    if (entry?.row?.error && entries.delete(id)) changed(entry);
  },
});

/** One list's subscription: `frame` returns a subscribe, and `live` is called after its answer was applied. */
function subscription({ env, client, link }, { rows, handles, receive, notify }, frame, live) {
  let phase = ENDED;
  let turns = 0; // the number of the last subscribe: answers to those before it are ignored
  let failures = 0; // the number of times that the held rows were wrong, since they were right

  function start(resume = failures ? null : rows.resume(handles.place())) {
    const turn = ++turns;
    phase = ASKED;
    handles.stand();
    link.request(frame(resume), (answer) => turn === turns && answered(answer), () => phase && turn === turns);
  }

  function answered(answer) {
    if (phase === ENDED) return notify(rows.apply(answer).changes); // no handle was left when it came
    phase = answer.type === LOST || answer.error ? UNANSWERED : LIVE;
    if (answer.error) handles.fail(answer);
    if (phase === LIVE && receive(answer) === 'ignored') notify(noChanges('diff')); // what was held is as of now
    if (phase !== LIVE) return;
    failures = 0;
    live();
  }

  /** Subscribes anew without `resume`, because the held rows are wrong. */
  function restart(why) {
    const turn = ++turns;
    phase = UNANSWERED;
    client.resyncs++;
    env.after(failures && jitter(env, failures), () => phase && turn === turns && start());
    failures++;
    handles.fail({ error: 'diverged', message: why });
  }

  const stop = () => phase !== (phase = ENDED);
  return { start, restart, begin: () => phase && start(), stop, isAsked: () => phase === ASKED, isLive: () => phase === LIVE };
}

/** Follows one list for its handles, with as many rows as they want. */
function following(name, context, list) {
  let limit = 0;
  let asked; // the limit of the last subscribe
  const frame = (resume) => ({ type: 'subscribe', list: name, limit: (asked = limit), resume });
  const { isAsked, ...subscribed } = subscription(context, list, frame, live);
  const { start, isLive } = subscribed;

  /** Asks for as many rooms as a handle has come to want. */
  function more() {
    if (name === ROOMS && isLive() && limit > asked) start({ ...list.rows.resume(), rows: undefined, sums: undefined });
  }

  function live() {
    context.marks.again(name);
    more();
  }

  return {
    ...subscribed,
    /** Asks for so many more rows of each section that has too many for all to be sent. Nothing while an answer is awaited. */
    grow(by) {
      if (isLive()) limit = min(limit + by, context.client.welcome.limits.memberships);
      more();
    },
    /** Adds a handle, which may be back. A list that stands is subscribed to again only for one that was here. */
    attach(handle) {
      const isNew = list.handles.add(handle, isLive);
      limit = max(limit, handle.limit);
      if (isAsked() || (isLive() && isNew)) more();
      else start();
    },
  };
}

/** One list, for all of its handles: a replica, and the subscription that keeps it up to date. */
function sharedList(name, context, kept) {
  const { env, link, commands, marks } = context;
  const rows = replica(name);
  if (kept) rows.apply({ ...kept, type: 'snapshot', kept });
  const handles = handlesOf(rows, () => snapshot(), env);
  const { start, restart, isLive, ...subscribed } = following(name, context, { rows, handles, receive, notify });
  const paging = (name === MENTIONS ? olderMentions : pages)(name, link, rows, isLive, receive, () => notify(noChanges('page')));
  let held; // the snapshot, until something changes

  function receive(frame) {
    const { type } = frame;
    if (type === 'standing') return handles.stand(frame);
    if (type === 'ended') {
      subscribed.stop(); // the user decides about coming back
      handles.fail(frame);
    } else if (isLive()) return apply(frame);
  }

  function apply(frame) {
    const { epoch } = rows.state;
    const { verdict, why, changes } = rows.apply(frame);
    if (rows.state.epoch !== epoch) marks.unmark(name); // another history: its revisions are other messages
    if (verdict === 'resume') start();
    else if (verdict === 'restart') restart(why);
    if (changes) paging.follow?.();
    notify(changes);
    return verdict;
  }

  function notify(changes) {
    if (!changes) return;
    commands.confirm(name, changes.inserted, rows.state.revision);
    held = undefined;
    handles.notify(changes);
  }

  const snapshot = () => (held ??= freeze({ ...rows.state, ...paging.state?.(), pending: freeze(commands.pending(name)) }));
  const trim = () => notify(rows.trim(handles.keep()));
  return { ...paging, ...handles, ...subscribed, get: (id) => rows.get(id), placeOf: rows.placeOf, snapshot, receive, notify, trim };
}

/** Calls `action` with each of a set that is still in it, also after one at which it throws. */
function callEach(all, action, [first, ...rest] = all) {
  if (!first) return;
  try {
    if (all.has(first)) action(first);
  } finally {
    callEach(all, action, rest);
  }
}

/** The handles of one list. Each is notified of what has changed since its last notification. */
function handlesOf(rows, snapshot, env) {
  const all = new Set();
  let released = 0; // the number of those that were released by the list's name
  let standing; // the user's rights, as they came last
  let standingSince;

  function begin(handle, isLive) {
    if (!all.has(handle) || !handle.isBehind) return;
    if (standing) handle.onStanding(remaining(standing, env.now() - standingSince));
    if (rows.state.epoch && handle.seen !== snapshot()) notifyHandle(handle, snapshot(), rows, noChanges(isLive() ? 'snapshot' : 'held'));
  }

  return {
    /** Returns whether it is another one. It begins with what is there, after its maker has returned. */
    add(handle, isLive) {
      if (all.size === all.add(handle).size) return false;
      handle.isBehind = true;
      queueMicrotask(() => begin(handle, isLive));
      return true;
    },
    /** Releases a handle, or one that is not named. Returns whether none is left. */
    release(handle) {
      if (handle ? !all.delete(handle) : ++released > all.size) return false;
      if (released < all.size) return false;
      all.clear();
      released = 0;
      return true;
    },
    notify: (changes) => callEach(all, (handle) => notifyHandle(handle, snapshot(), rows, changes)),
    fail: (error) => callEach(all, ({ onError }) => onError(error)),
    /** Notes the user's rights: without an argument, that they are the usual ones, which no server sends. */
    stand(rights) {
      standing = rights;
      standingSince = env.now();
      if (rights) callEach(all, ({ onStanding }) => onStanding(rights));
    },
    place: () => [...all].map(({ at }) => at()).findLast((at) => at !== undefined),
    keep: () => max(...[...all].map(({ keep }) => keep)),
  };
}

/** A standing that came some time ago. */
const remaining = ({ mutedFor, ...standing }, past) => (mutedFor > past ? { ...standing, mutedFor: mutedFor - past } : standing);

/** Calls `onChange`: with the changes or, if the handle has missed some, with all since the snapshot that it saw. */
function notifyHandle(handle, snapshot, rows, changes) {
  const { seen, isBehind } = handle;
  handle.seen = snapshot;
  handle.isBehind = false;
  handle.onChange({ snapshot, changes: isBehind ? changesSince(seen, snapshot, rows, changes.why) : changes });
}

/** Returns the changes from a snapshot, or from nothing, to the present one. Each row that has changed counts as replaced. */
function changesSince(before, snapshot, rows, why) {
  const touched = new Map(rowsOf(snapshot).map(({ id }) => [id]));
  for (const row of before ? rowsOf(before) : []) {
    if (rows.get(row.id) === row) touched.delete(row.id);
    else touched.set(row.id, row);
  }
  return changesOf(why, rows, touched, touched);
}

/** One subscriber's side of a list: what `subscribe` returns. */
function handleOf(name, { limit = 50, at = nothing, onChange = nothing, onError = nothing, onStanding = nothing, kept }, lists, make, release) {
  const handle = { limit, at, onChange, onError, onStanding, keep: Infinity };
  let list;

  /** A page is wanted: its rows are not trimmed before this handle trims again. */
  const page = (kind) => (...place) => {
    handle.keep = Infinity;
    return list[kind](...place);
  };

  function rejoin() {
    list = lists.get(name) ?? list ?? make(name, kept);
    lists.set(name, list);
    list.attach(handle);
  }

  rejoin();
  return {
    snapshot: () => list.snapshot(),
    get: (id) => list.get(id),
    placeOf: (row) => list.placeOf(row),
    older: page('older'),
    fill: page('fill'),
    goTo: page('goTo'),
    fetch: (id) => list.fetch(id),
    /** Drops all but the newest `keep` rows that no other handle has kept. A list that is never trimmed grows with each message. */
    trim(keep) {
      handle.keep = keep;
      list.trim();
    },
    grow: (by) => list.grow(by),
    rejoin,
    unsubscribe: () => release(name, list, handle),
  };
}

/**
 * Returns a function that requests a page of a list, once at a time for each place. It resolves to the page's rows; `handle` gets each answer
 * first, and returns `again` if the page must be requested again.
 */
function pager(name, link, isReady, handle) {
  const underWay = new Map();

  function request(frame, resolve) {
    link.request(frame, (answer) => (handle(answer, frame) === 'again' ? request(frame, resolve) : resolve(answer.rows ?? [])));
  }

  return async (place, limit = 100) => {
    if (!isReady()) return [];
    const key = stringify(place);
    const paging = underWay.get(key) ?? new Promise((resolve) => request({ type: 'page', list: name, ...place, limit }, resolve)).finally(() => underWay.delete(key));
    underWay.set(key, paging);
    return paging;
  };
}

const came = ({ length }) => length > 0;

/** The pages of a list. Their rows arrive by `onChange`. */
function pages(name, link, rows, isReady, receive) {
  const page = pager(name, link, isReady, (answer) => answer.type === 'page' && receive(answer));
  const older = async (limit) => rows.state.more && came(await page({ before: rows.state.ranges[0][0] }, limit));
  const fill = async ({ after, sort }, side, limit) => came(await page(side === 'after' ? { after } : { after, before: sort }, limit));

  /** Resolves to the row that the page is around. */
  async function goTo(place, limit) {
    const those = rows.get(place.id) ? [place] : await page({ around: place }, limit);
    const target = those.find(({ id, sort, time }) => id === place.id || sort >= place.revision || time >= place.time) ?? those.at(-1);
    return rows.get(target?.id);
  }

  /** Resolves to a message as it is now, which does not become one of the rows; to nothing if it is gone. */
  async function fetch(id) {
    const answer = await new Promise((resolve) => link.request({ type: 'page', list: name, around: { id }, limit: 1 }, resolve));
    if (!answer.rows && answer.error !== 'not_found') throw refusal(answer);
    return answer.rows?.find((row) => row.id === id);
  }

  return { older, fill, goTo, fetch };
}

/** Returns which of the rows stay before and behind a page that was asked for before a row, and whether it joins those before it. */
function aroundPage(held, before, { rows, more }) {
  const end = held.findIndex(({ id }) => id === before);
  const [past, rest] = end < 0 ? [held, []] : [held.slice(0, end), held.slice(end)];
  const start = past.findIndex(({ id }) => id === rows[0]?.id);
  const joins = more && start >= 0;
  return [past.slice(0, joins ? start : 0), rest, joins];
}

/**
 * The messages that mention the user from before the list of the newest: pages, as of when they were read. When rows go from
 * the list's beginning because newer ones are there, they are missing until a page before its first row brings them.
 */
function olderMentions(name, link, rows, isReady, _receive, changed) {
  let held = []; // in order, without a gap
  let more; // whether there are older ones; not known before the first page
  let seam; // the id of the list's row on which they join
  let isTorn = false; // whether rows are missing between them and the list
  let epoch;
  const request = pager(name, link, isReady, apply);

  const first = () => rows.state.sections[0]?.rows[0];
  const hasMore = () => isTorn || (more ?? rows.state.count >= MOST_MENTIONS);

  /** Applies the list's present rows. Of another epoch no page is kept: the user may see less now. */
  function follow() {
    if (epoch !== rows.state.epoch || !first()) [held, more, seam, isTorn] = [[], undefined, undefined, false];
    epoch = rows.state.epoch;
    isTorn = seam && !rows.get(seam) && !held.some(({ id }) => id === first().id);
    if (isTorn) page();
    else if (seam) [seam, held] = [first().id, held.filter(({ id }) => !rows.get(id))];
  }

  /** Applies a page. It replaces what was held of its part. */
  function apply(answer, { before: { id } }) {
    if (answer.type === 'error') [more, isTorn] = [false, false]; // an older server has none
    if (answer.type !== 'page' || answer.epoch !== epoch) return;
    const [past, rest, joins] = aroundPage(held, id, answer);
    held = [...past, ...answer.rows, ...rest];
    if (!joins) ({ more } = answer);
    if (!rest.length) seam = id;
    follow();
    changed();
  }

  async function page(limit) {
    const { id, time } = (!isTorn && held[0]) || first() || {};
    return came(id ? await request({ before: { id, time } }, limit) : []);
  }

  return { follow, state: () => ({ older: freeze([...held]), more: hasMore() }), older: async (limit) => hasMore() && page(limit) };
}

/** Sends requests about all names, each about as many as one request may have. */
function requestInParts(link, names, request) {
  while (names.length) link.request(request(names.splice(0, MOST_ASKED)));
}

/** The typing and read marks of this user, which a new connection does not remember: what the library does with them, and what a user does. */
function signals(env, link) {
  const typed = new Map(); // room → the time until which `typing` need not be repeated
  const marks = new Map(); // room → the revision read
  const sendRead = (room, revision) => link.request({ type: 'read', room, revision });

  const marking = {
    forget: () => typed.clear(),
    /** Repeats the mark of a room whose messages are followed again. */
    again(list) {
      const room = roomOf(list);
      if (marks.has(room)) sendRead(room, marks.get(room));
    },
    /** Notes that a message was sent, which ends typing. */
    sent: (room) => typed.delete(room),
    /** Forgets the mark of a room whose messages are not followed any more: it could not be repeated. */
    unmark: (list) => marks.delete(roomOf(list)),
  };

  function typing(room, on) {
    const now = env.now();
    const until = typed.get(room);
    if (on ? now < until : !until) return;
    typed.set(room, on && now + TYPING_AGAIN);
    link.request({ type: 'typing', room, on });
  }

  /** Without a revision: all present messages. The library never repeats that, because it would count later ones. */
  function read(room, revision) {
    if (revision <= marks.get(room)) return;
    if (revision) marks.set(room, revision);
    sendRead(room, revision);
  }

  /** Marks all as read that is in these rooms, with one request. The library never repeats that, either. */
  const readAll = (rooms) => requestInParts(link, [...rooms], (part) => ({ type: 'read', rooms: part }));

  return [marking, { typing, read, readAll }];
}

/** The people whose profiles this user wants. A new connection may not remember them. */
function profiles(client, link) {
  const wanted = new Set(); // in the order in which they came

  const fetch = (names) => requestInParts(link, names, (part) => ({ type: 'people', names: part }));

  return {
    /** Asks for all again: before the list is subscribed to, so that its snapshot has them. */
    repeat: () => fetch([...wanted]),
    know(people) {
      const fresh = [...people].filter((id) => !wanted.has(id) && wanted.add(id));
      for (const id of wanted) if (wanted.size > client.welcome?.limits.people) wanted.delete(id);
      fetch(fresh);
    },
  };
}

/** The drafts that are under way to the server. */
function draftsOf(link) {
  const last = new Map(); // room → the last draft without an answer

  /** Stores a draft. Of two for one room the later one counts: a repeat of the first would undo it. */
  const draft = (room, content) =>
    new Promise((resolve, reject) => {
      const frame = { type: 'draft', room, ...(content && { ...content, text: entered(content.text) }) };
      const isWanted = () => last.get(room) === frame || resolve();
      const answered = (answer) => {
        if (last.get(room) === frame) last.delete(room);
        if (answer.type === 'ok') resolve();
        else reject(refusal(answer));
      };
      last.set(room, frame);
      link.request(frame, answered, isWanted);
    });

  return { draft };
}

/** Returns a function that sends a request and resolves to its answer, which has a field; it rejects with another answer. */
const asking = (link) => (frame, field, isWanted) =>
  new Promise((resolve, reject) => link.request(frame, (answer) => (answer[field] ? resolve(answer) : reject(refusal(answer))), isWanted));

/**
 * Returns a file's name as a message can have it: one line without slashes and marks of direction. Of a long one the beginning
 * and the end stay.
 */
function fileName(name = '') {
  const characters = [...entered(name).replace(/[\n\t/\\\u2028-\u202E\u2066-\u2069]/g, '_').trim()];
  while (textBytes(characters.join('')).length > MOST_NAME) characters.splice(-20, 1);
  const shown = characters.join('');
  return canBeSeen(shown) && shown !== '.' && shown !== '..' ? shown : 'file';
}

/** Returns the SHA-256 of a file as hexadecimal digits. */
async function hashOf(file, { subtle }) {
  if (!subtle) throw Error('Files need https: over plain http, browsers compute no checksums.');
  const hash = await subtle.digest('SHA-256', await file.arrayBuffer());
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Settles as a promise does, or rejects when a signal is aborted. */
const unlessAborted = (signal, promise) =>
  Promise.race([promise, new Promise((_, reject) => (signal?.aborted ? reject(signal.reason) : signal?.addEventListener('abort', () => reject(signal.reason))))]);

/** Returns the error of an upload that ended with an answer over HTTP, or without one. */
function failedUpload({ status, text }) {
  const { code, ...frame } = frameOf(text) ?? {};
  return refusal({ error: code, message: status ? `The server answered with ${status}.` : 'The connection was lost.', ...frame });
}

/**
 * Makes the requests of one upload: `open` gets its permit, `look` the number of bytes that the server has, `put` sends the others. All
 * bytes of a file go to a store at once; `put` then has the server confirm them, and sends none where an earlier try has sent them.
 */
function uploadSteps(env, file, { signal, onprogress = nothing }, open) {
  async function transfer(method, url, offset, options) {
    const ending = new AbortController();
    let timer;
    const progressed = (loaded) => {
      env.cancel(timer);
      timer = env.after(STALLED, () => ending.abort());
      onprogress({ loaded: offset + loaded, total: file.size });
    };
    try {
      const made = env.transfer(method, url, { ...options, signal: ending.signal, onprogress: progressed });
      const answer = await unlessAborted(signal, made);
      return { ...answer, offset: answer.offset === null ? undefined : Number(answer.offset) };
    } catch {
      if (signal?.aborted) throw signal.reason;
      return { status: 0 };
    } finally {
      env.cancel(timer);
      ending.abort(); // nothing, once there is an answer
    }
  }

  const range = (offset) => offset && { 'content-range': `bytes ${offset}-${file.size - 1}/${file.size}` };
  const send = ({ url, headers }, offset) => transfer('PUT', url, offset, { headers: { ...headers, ...range(offset) }, body: file.slice(offset) });

  async function store(permit, isRepeat) {
    const found = isRepeat && (await transfer('POST', permit.confirm, file.size));
    if (found && found.status !== 404) return found;
    const sent = await send(permit, 0);
    return sent.status === 200 ? transfer('POST', permit.confirm, file.size) : sent;
  }

  return {
    open: () => unlessAborted(signal, open()),
    look: async ({ url, confirm }) => (confirm ? {} : transfer('HEAD', url)),
    put: (permit, offset, isRepeat) => (permit.confirm ? store(permit, isRepeat) : send(permit, offset)),
    pause: (tries) => unlessAborted(signal, new Promise((resolve) => env.after(jitter(env, tries), resolve))),
  };
}

const RESUMED = new Set([0, 202, 400, 403, 408, 409]); // the statuses after which an upload goes on; 0 is none

/** Uploads a file. It goes on where a lost connection has ended it, begins again after a wrong checksum, and renews an expired permit. */
async function uploadBy({ open, look, put, pause }, size) {
  let [permit, offset, tries, isRepeat] = [undefined, 0, 0, false];
  for (;;) {
    permit ??= await open();
    let answer = await put(permit, offset, isRepeat);
    const { status } = answer;
    if (status === 201) return JSON.parse(answer.text);
    if (++tries > MOST_TRIES || !(RESUMED.has(status) || status >= 500)) throw failedUpload(answer);
    isRepeat = status === 0 || status >= 500;
    if (status === 403) permit = undefined;
    else if (status !== 400 && answer.offset === undefined) {
      await pause(tries);
      answer = await look(permit);
    }
    if (answer.offset > offset) tries = 0;
    offset = status === 400 || status === 403 ? 0 : (answer.offset ?? offset);
    offset = min(offset, size - 1); // if it is whole, the answer was lost: the last byte gets it again
  }
}

/** Returns the request for an upload. */
async function uploadFrame(room, message, file, env) {
  const media = /^[\w.+-]+\/[\w.+-]+/.exec(file.type)?.[0].toLowerCase() ?? 'application/octet-stream';
  return { type: 'upload', room, message, name: fileName(file.name), media, size: file.size, sha256: await hashOf(file, env) };
}

/** Returns the permit of an answer, with whole addresses. `headers` and `confirm` are missing unless the bytes go to a store. */
const permitOf = ({ url, headers, confirm }, absolute) => ({ url: absolute(url), headers, confirm: absolute(confirm) });

/** The files of messages. */
function filesOf(env, link, url) {
  const ask = asking(link);
  const absolute = (path) => path && new URL(path, url.replace(/^ws/i, 'http')).href;
  let waiting = []; // for a connection

  const online = () => link.online() || new Promise((resolve) => waiting.push(resolve));

  /** Asks for the permit of an upload, again on each connection until there is an answer. */
  async function open(frame, isWanted) {
    await online();
    try {
      return permitOf(await ask(frame, 'url', isWanted), absolute);
    } catch (error) {
      if (error.error || !isWanted()) throw error;
      return open(frame, isWanted);
    }
  }

  async function upload(room, message, file, options = {}) {
    const { signal } = options;
    const frame = await unlessAborted(signal, uploadFrame(room, message, file, env));
    return uploadBy(uploadSteps(env, file, options, () => open(frame, () => !signal?.aborted)), file.size);
  }

  async function links(room, files) {
    const named = files.map(({ message, id }) => ({ message, id }));
    const urls = [];
    while (named.length) urls.push(...(await ask({ type: 'links', room, files: named.splice(0, MOST_LINKS) }, 'urls')).urls.map(absolute));
    return urls;
  }

  /** Continues what waited for a connection. */
  function welcomed() {
    const those = waiting;
    waiting = [];
    for (const resolve of those) resolve();
  }

  return [{ welcomed }, { upload, links }];
}

/** The commands that change rooms and what is in them, and the audit log of what moderators have changed. */
function commandsOf(client, user, { commands: { add }, link, marks }) {
  const change = (type, { command = uuid(), ...what }) => add(command, { type, command, ...what });
  const stating = (type) => (room, what) => change(type, { room, ...what });
  const ask = asking(link);

  return {
    /** Sends a message: pending at once, and repeated with the same id until it is answered. */
    send(room, text, { id = uuid(), ...more } = {}) {
      marks.sent(room);
      const what = { id, text: entered(text), ...more };
      return add(id, { type: 'send', room, ...what }, { ...what, author: client.welcome?.user ?? user, time: Date.now() });
    },
    /** Makes an open or private room, or the direct room of these people unless there is one. Resolves to the room's name. */
    async create({ people = [], ...what }) {
      const { list } = await change('create', { ...what, people: people.map((name) => name.normalize()) });
      return roomOf(list);
    },
    audit: (room, place) => ask({ type: 'audit', room, ...place }, 'entries'),
    search: (query, place) => ask({ type: 'search', query, ...place }, 'results'),
    edit: (room, id, text, more) => change('edit', { room, id, text: entered(text), ...more }),
    delete: (room, id, more) => change('delete', { room, id, ...more }),
    react: (room, id, emoji, on, more) => change('react', { room, id, emoji: on ? emoji.normalize() : emoji, on, ...more }),
    moderate: (room, action, what) => change('moderate', { room, action, ...what }),
    join: stating('join'),
    leave: stating('leave'),
    set: stating('settings'),
  };
}

/**
 * Returns the lists that are followed, by name, and what a client's user does with them. `make` makes one; `left` is called when one was
 * followed and has no handle left.
 */
function listsOf(make, left) {
  const lists = new Map();

  /** Releases a handle, or one that is not named. A list is followed as long as one is left. */
  function release(name, list, handle) {
    if (!list?.release(handle)) return;
    lists.delete(name);
    if (list.stop()) left(name);
  }

  return [
    lists,
    {
      /** Follows a list; `onChange` is called after each change with the list and the changes. Each call makes a handle that lives by itself. */
      subscribe: (name, options = {}) => handleOf(name, options, lists, make, release),
      unsubscribe: (name) => release(name, lists.get(name)),
    },
  ];
}

/** A chat server, from one user's side. */
export class Diffroom {
  state;
  /** The time until the last hello or ping was answered. */
  latency;
  /** The server's `welcome`. */
  welcome;
  /** The number of times that a list was fetched anew because its rows were wrong. */
  resyncs = 0;

  constructor({ environment, ...options }) {
    const env = { ...browser, ...environment };
    options.user = options.user?.normalize(); // keyboards differ; names are compared byte by byte
    const received = (frame) => lists.get(frame.list ?? listOf({ frame }))?.receive(frame);
    const [link, control] = reconnecting(options, env, this, { welcomed, received, answered: () => commands.flush() });
    const commands = outbox(env, this, link, (entry) => entry.row && lists.get(listOf(entry))?.notify(noChanges('pending')));
    const [marks, signs] = signals(env, link);
    const people = profiles(this, link);
    const [files, transfers] = filesOf(env, link, options.url);
    const context = { env, client: this, link, commands, marks };
    const make = (name, kept) => sharedList(name, context, kept);
    const [lists, followed] = listsOf(make, (name) => {
      marks.unmark(name);
      link.request({ type: 'unsubscribe', list: name });
    });
    const client = this;

    function welcomed(welcome) {
      client.welcome = welcome;
      marks.forget();
      people.repeat();
      for (const list of lists.values()) list.begin();
      commands.repeat();
      files.welcomed();
    }

    Object.assign(this, control, followed, signs, transfers, draftsOf(link), commandsOf(this, options.user, context), { discard: commands.discard, know: people.know });
    this.connect();
  }
}
