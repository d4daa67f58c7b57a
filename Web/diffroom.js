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
const MOST_HELD = 500; // the number of rows that it names, so that a server takes its frame
const MENTIONS = 'me/mentions';
const ROOMS = 'me/rooms';
const MOST_MENTIONS = 100; // the number of its rows: where there are fewer, there are no older ones
const MOST_ASKED = 200; // the number of people that one request can ask for
const FINAL = new Set([1003, 1007, 1009]); // close codes for a frame that the server cannot accept: a repeat would not help
const ONLINE = 'online';
const LOST = 'lost'; // the type of an answer that never came because its connection has ended

/**
 * The new row that each operation of a diff makes of the old one; none removes the row. In the order of application.
 */
const OPERATIONS = {
  del: () => undefined,
  mov: (row, op) => ({ ...row, ...op }),
  ins: (row, op) => op,
  rel: (row, op) => ({ ...op, section: row.section, sort: row.sort }),
  // A room's `mentions` is light and always told, as is the `text` of a mention; a message's are not.
  cfg: ({ tag, reactions, typing, read, unread, by, last, title, name, picture, muted, marked, here, ...heavy }, op) => ({ ...heavy, ...op, section: heavy.section, sort: heavy.sort }),
};

const nothing = () => {};

const refuse = (verdict, why) => ({ verdict, why });

/** Throws because a frame contradicts the held rows. */
function contradict(why) {
  throw { why };
}

const stateOf = ({ tag, rev }) => tag ?? rev;

const same = (one, other) => one.section === other.section && one.sort === other.sort;

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
      for (const [id, row] of touched) know(id, row);
      throw error;
    }
  }

  const know = (id, row) => (row ? byId.set(id, row) : byId.delete(id));

  /** Puts a row into its place, or removes it if `row` is missing. */
  function put(id, row) {
    if (row && !(id.length && [row.sort, row.rev].every(Number.isSafeInteger))) contradict();
    const old = byId.get(id);
    if (!touched.has(id)) touched.set(id, old);
    if (old) {
      const [rows, from] = placeOf(old);
      // While rows change places, two can have one sort key, so look for the row itself from there on.
      rows.splice(rows.indexOf(old, from), 1);
    }
    if (row) {
      const [rows, at] = placeOf(row);
      rows.splice(at, 0, row);
    }
    know(id, row);
  }

  /** Removes all rows, and sets the sections. */
  function clear(others) {
    for (const [id, row] of byId) touched.set(id, row);
    byId.clear();
    sections = others.map(({ id }) => ({ id, rows: [] }));
  }

  /** The rows of the row's section, and its index in them: O(log rows). */
  function placeOf({ section, sort }) {
    const { rows } = sections.find(({ id }) => id === section);
    return [rows, lowerBound(rows, sort)];
  }

  const first = () => sections.find(({ rows }) => rows.length)?.rows[0];
  return { byId, sections: () => sections, first, change, put, clear, placeOf };
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
    const row = rows.byId.get(id);
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
    if (range[0] <= last?.[1] + 1) last[1] = Math.max(last[1], range[1]);
    else joined.push([...range]);
  }
  return joined;
}

/** Returns the parts of the ranges that lie in others. */
function intersect(ranges, others) {
  const parts = others.flatMap(({ from, to = Infinity }) => ranges.map((range) => [Math.max(range[0], from), Math.min(range[1], to)]));
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
    made.unshift(JSON.stringify(gap) === JSON.stringify(known) ? known : gap);
  }
  return made;
}

/** A reader's copy of one list: its end, and what else the reader has asked for. It knows no socket and no clock. */
class Replica {
  /** Another object after each change; its content never changes. */
  state;
  #rows = orderedRows();
  #isMessages;
  #newestPage = 0; // a page's rows can be newer than the list, so digests count only from this revision on
  #at = Infinity; // the sort key that the user looked at when the list was last resumed

  placeOf = this.#rows.placeOf;

  constructor(list) {
    this.#isMessages = list.endsWith('/messages');
    this.#become({ list, count: 0 }, WHOLE);
  }

  /** Applies a `snapshot`, `diff` or `page` frame: all of it, or nothing. */
  apply(frame) {
    const rows = this.#rows;
    const reloaded = new Set();
    let refusal;
    try {
      const take = { snapshot: this.#snapshot, diff: this.#diff, page: this.#page }[frame.type];
      const touched = rows.change((touched) => (refusal = take.call(this, frame, rows, touched, reloaded)));
      return refusal ?? { verdict: 'applied', changes: changesOf(frame.type, rows, touched, reloaded) };
    } catch ({ why = 'malformed' }) {
      return refuse('restart', why);
    }
  }

  #become(fields, ranges) {
    const more = ranges[0][0] > 0;
    const state = { ...this.state, ...fields, ranges, more, sections: this.#rows.sections() };
    const missing = more || ranges[2] ? undefined : state.count - this.#rows.byId.size;
    this.state = Object.freeze({ ...state, gaps: gapsOf(ranges, state, missing) });
  }

  /** Removes the rows outside of the ranges. */
  #leave(ranges) {
    for (const row of this.#rows.byId.values()) if (!holds(ranges, row)) this.#rows.put(row.id);
  }

  /** Lets go of ranges that a `resume` could not name: those that are farthest from a sort key. */
  #nearest(ranges, sort) {
    if (ranges.length <= MOST_RANGES) return ranges;
    const far = sort - ranges[0][1] > ranges.at(-2)[0] - sort ? ranges[0] : ranges.at(-2);
    const left = ranges.filter((range) => range !== far);
    this.#leave(left);
    return this.#nearest(left, sort);
  }

  #diff(frame, rows, touched, reloaded) {
    const { epoch, from, to, count, counts, start, kept, ranges: left, ...operations } = frame;
    const { state } = this;
    const moves = kept >= 0; // it begins with the held rows, in whatever epoch they are
    const here = moves || epoch === state.epoch;
    if (!moves && here && to <= state.revision) {
      if (to === state.revision) this.#prove(frame, state.ranges, to);
      if (to < state.revision || !left) return refuse('ignored', 'duplicate');
    } else if (!here || from !== state.revision) return refuse('resume', here ? 'gap' : 'other_epoch');
    for (const key in operations) if (Array.isArray(frame[key]) && !OPERATIONS[key]) contradict('unknown_operation');
    const seen = new Map();
    if (moves) for (const row of rows.byId.values()) rows.put(row.id, { ...row, rev: kept });
    for (const kind in OPERATIONS) for (const op of frame[kind] ?? []) operate(rows, kind, op, seen, touched, reloaded, moves);
    let ranges = left ? intersect(state.ranges, left) : state.ranges;
    if (frame.ins?.some((row) => !holds(ranges, row))) contradict();
    if (left) this.#leave(ranges);
    // Rows before the list's beginning were trimmed.
    while (rows.first()?.sort < start) rows.put(rows.first().id);
    ranges = begin(ranges, start);
    checkOrder(rows, touched);
    this.#prove(frame, ranges, to);
    this.#become({ epoch, revision: to, count, counts }, rows.byId.size === count ? WHOLE : this.#nearest(ranges, this.#at));
  }

  #snapshot({ epoch, revision, joined, more, count, counts, digest, sections }, rows, touched, reloaded) {
    rows.clear(sections);
    for (const { id: section, rows: those } of sections)
      for (const row of those) {
        if (epoch !== this.state.epoch || touched.get(row.id)?.rev !== row.rev) reloaded.add(row.id);
        rows.put(row.id, { ...row, section });
      }
    checkOrder(rows, touched);
    const ranges = more ? [[rows.first().sort, Infinity]] : WHOLE;
    this.#prove({ count, digest }, ranges);
    this.#newestPage = 0;
    this.#become({ epoch, revision, joined, count, counts }, ranges);
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
    this.#newestPage = Math.max(this.#newestPage, revision);
    const ranges = join(state.ranges, from, Math.min(to, state.revision));
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
      for (const row of sections.flatMap((section) => section.rows).slice(excess)) rows.put(row.id, row);
    });
    this.#become({}, intersect(this.state.ranges, [{ from: rows.first().sort }]));
    return changesOf('trim', rows, touched);
  }

  /** Throws unless the held rows agree with the frame's proofs, as far as they can be checked. */
  #prove({ count, digest, ranges: proven = [] }, ranges, revision = this.#newestPage) {
    if (revision < this.#newestPage) return;
    const { size } = this.#rows.byId;
    const depth = Math.min(PROVEN_ROWS, count);
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
    return rows.reduce((sum, row) => (sum + rowHash(row, this.#isMessages ? uuidBytes : textBytes)) >>> 0, 0);
  }

  get(id) {
    return this.#rows.byId.get(id);
  }

  /** `at`: the sort key of the row that the user looks at, if any. */
  resume(at) {
    const { epoch, revision, joined, ranges } = this.state;
    this.#at = at ?? Infinity;
    const held = ranges.map(([from, to]) => [Math.min(from, revision), Math.min(to, revision)]);
    const rows = [...this.#rows.byId.values()].map(({ id, tag }) => [id, tag]);
    const named = rows[0] && rows.length <= MOST_HELD && rows.every(([, tag]) => tag);
    if (epoch) return { epoch, revision, joined, ...(this.#isMessages ? { ranges: held, at } : named && { rows }) };
  }
}

/** Applies one operation of a diff; `seen` has the last operation of each row. `anew`: whatever `rev` the rows had. */
function operate(rows, kind, op, seen, touched, reloaded, anew) {
  const id = op.id ?? op;
  const row = rows.byId.get(id);
  const moves = seen.get(id) === 'mov' && /rel|cfg/.test(kind);
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

/** Returns what a text is stored as when it is entered: without escape sequences and control characters, its lines ended by line feeds. */
export const entered = (text) => text.replace(CONTROLS, '').replace(LINE_END, '\n');

/** Returns whether `entered` drops something of a text, about which its author should know. A line end is converted, not dropped. */
export const isReduced = (text) => text.search(CONTROLS) >= 0;

/** Returns whether something of a text can be seen. A server refuses texts of which nothing can. */
export const canBeSeen = (text) => SEEN.test(text);

const PART = '\\p{L}\\p{M}\\p{Nd}_'; // the characters that a name goes on with
// Scripts that put no spaces between words: South-East Asian ones, Han, kana, Hangul.
const UNSPACED = '[\\u0e00-\\u0eff\\u1000-\\u11ff\\u1780-\\u17ff\\u1950-\\u19df\\u1a20-\\u1aaf\\u3000-\\u31ff\\u3400-\\ua4cf\\ua960-\\ua97f\\ua9e0-\\ua9ff\\uaa60-\\uaadf\\uac00-\\ud7ff\\uf900-\\ufaff\\uff66-\\uffdc\\u{1aff0}-\\u{1b16f}\\u{20000}-\\u{3ffff}]';
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

/** Returns whether a text calls everybody, with `@room`: unless somebody has that name. */
export const everyoneIn = (text, people) => callsIn(text, people).everyone;

function callsIn(text, people = []) {
  const names = new Set(splitAtMentions(text, (people = [...people])).filter(isName));
  const everyone = !people.includes('room') && names.delete('room');
  return { mentions: [...names].slice(0, 50), everyone };
}

// In no name is a character that nobody sees, unless it makes an emoji.
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
};

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

/** Returns an error that has the name of the server's. */
const refusal = ({ error, message }) => Object.assign(Error(message), { error });

/** Returns whether the same request may succeed later. */
const passes = ({ error }) => error === 'unavailable' || error === 'rate_limited';

/** Returns a wait with full jitter after the server's, so that clients that lost one server do not return together. */
const jitter = ({ random }, tries, retryAfter = 0) => retryAfter + random() * Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** tries);

/** Returns the frame in a message; nothing if there is none. */
function frameOf(data) {
  try {
    const frame = JSON.parse(data);
    return frame.type && frame;
  } catch {}
}

/** The requests over one socket, with their answers. The server takes only so many at once: the others wait. */
function requests(client, send) {
  const answers = new Map();
  const waiting = [];
  let lastRef = 0;

  const asked = (frame, answer) => JSON.stringify({ ref: answers.set(++lastRef, answer) && lastRef, ...frame });
  const hasRoom = () => answers.size - waiting.length < client.welcome?.limits.pending;

  function proceed() {
    while (waiting[0] && hasRoom()) send(waiting.shift());
  }

  return {
    hasRoom,
    hurry: (frame, answer) => send(asked(frame, answer)),
    say(frame, answer) {
      waiting.push(asked(frame, answer));
      proceed();
    },
    /** Passes an answer on; returns whether the frame was an answer. */
    hear(frame) {
      const answer = answers.get(frame.ref);
      answers.delete(frame.ref);
      answer?.(frame);
      proceed();
      return answer;
    },
    /** Ends all requests: no answer will come. */
    end: (code) => answers.forEach((answer) => answer({ type: LOST, code })),
  };
}

/** The conversation over one socket: requests, and the silence of either side. */
function conversation(env, client, socket) {
  let heardAt = env.now();
  let saidAt = heardAt;
  let askedAt = heardAt; // the time since which an answer of any kind is awaited

  const { hurry, ...talk } = requests(client, (text) => {
    saidAt = env.now();
    socket.send(text);
  });

  /** Sends a frame that is answered without work, and measures the time. */
  function measure(frame, answer) {
    const since = env.now();
    hurry(frame, (said) => {
      if (said.type !== LOST) client.latency = env.now() - since;
      answer?.(said);
    });
  }

  function hear(frame) {
    heardAt = env.now();
    askedAt = undefined;
    return talk.hear(frame);
  }

  function ping() {
    askedAt ??= env.now();
    measure({ type: 'ping' });
  }

  /**
   * Pings after a heartbeat of silence on either side. Returns the time until the next check; 0 or less means a dead
   * connection.
   */
  function beat(heartbeat) {
    const due = () => (askedAt + GRACE || Math.min(heardAt, saidAt) + heartbeat) - env.now();
    if (!askedAt && due() <= 0) ping();
    return due();
  }

  return { ...talk, measure, hear, ping, beat };
}

/** One connection, from its socket to its end, which calls `lost` once. */
function connection({ url, user, token }, env, client, greeted, news, answered, lost) {
  const socket = new env.WebSocket(url, 'diffroom.v1.json');
  const talk = conversation(env, client, socket);
  let heartbeat = 25_000; // until the server names another
  let timer, bye, onlineAt, hasEnded;

  /** Sends the user's identity. A `token` that is a function is called for one. */
  function introduce(type, answer) {
    const say = (token) => hasEnded || talk.measure({ type, ...(token ? { token } : { user: user?.normalize() }) }, answer);
    if (token?.call) token().then(say, ({ message }) => onlineAt ?? end({ reason: message }));
    else say(token);
  }

  function welcomed(answer) {
    if (answer.type === 'welcome') {
      heartbeat = answer.heartbeat;
      onlineAt = env.now();
      greeted(answer);
    } else if (answer.type !== LOST) end({ ...answer, reason: answer.message, stays: !passes(answer) });
  }

  function hear({ data }) {
    const frame = frameOf(data);
    if (hasEnded) return;
    if (!frame) end({ code: 1002, reason: 'not a frame' });
    else if (talk.hear(frame)) answered();
    else if (frame.type === 'bye') bye = frame;
    else if (frame.type === 'expiring') introduce('token');
    else news(frame);
    watch(); // a hidden page's timers are late, but its messages are not
  }

  /** Checks both sides for silence, now and whenever the next check is due. */
  function watch() {
    if (hasEnded) return;
    env.cancel(timer);
    const due = talk.beat(heartbeat);
    if (due > 0) timer = env.after(due, watch);
    else end({ code: 4000, reason: 'silent' });
  }

  function end(event) {
    if (hasEnded) return;
    hasEnded = true;
    env.cancel(timer);
    socket.close();
    const { code, reason, error, retryAfter = 0, stays } = bye ?? event; // not own properties of a CloseEvent
    const isFinal = stays || code >= 4500 || (!onlineAt && FINAL.has(code));
    lost({ code, reason, error }, isFinal, retryAfter, env.now() > onlineAt + SETTLED);
    talk.end(code);
  }

  Object.assign(socket, { onopen: () => introduce('hello', welcomed), onmessage: hear, onclose: end });
  watch();
  return { ...talk, watch, end };
}

/** Listens for a page's network events. Adding a listener again changes nothing. */
function listen(how, hurry, watch) {
  globalThis[how]?.('online', hurry);
  globalThis.document?.[how]('visibilitychange', watch);
}

/**
 * A connection that reconnects until it is closed or told to stay away.
 *
 * States: `connecting` → `online` → `waiting` (for the next try) → `connecting` …; `stopped` after `close()`, a refused
 * hello, a refused origin or a close code from 4500 to 4999: only `connect()` leaves it.
 */
function lasting(options, env, client, begin, news, answered) {
  let here, timer;
  let tries = 0;
  let soonest = 0;

  function become(state, detail) {
    client.state = state;
    options.onState?.({ state, tries, ...detail });
  }

  function connect() {
    if (here) return;
    env.cancel(timer);
    listen('addEventListener', hurry, watch);
    here = connection(options, env, client, greeted, news, answered, lost);
    become('connecting');
  }

  function greeted(welcome) {
    become(ONLINE, { welcome });
    begin(welcome);
  }

  function lost(why, isFinal, retryAfter, hasWorked) {
    here = null;
    if (hasWorked) tries = 0;
    if (isFinal) return stop(why);
    if (why.code === 1006 && !tries) originRefused(options.url, env).then((reason) => reason && giveUp({ code: 1006, reason }));
    soonest = env.now() + retryAfter;
    wait(jitter(env, tries++, retryAfter), why);
  }

  function stop(why) {
    env.cancel(timer);
    listen('removeEventListener', hurry, watch);
    become('stopped', why);
  }

  /** Stops unless it has stopped, or has come online, meanwhile. */
  function giveUp(why) {
    if (client.state === 'stopped' || online()) return;
    if (here) here.end({ ...why, stays: true });
    else stop(why);
  }

  function wait(delay, detail) {
    env.cancel(timer);
    timer = env.after(delay, connect);
    become('waiting', { ...detail, delay });
  }

  /** The network is back: tries soon, with a jitter against a crowd. If there is a connection, a ping tests it. */
  function hurry() {
    if (client.state === 'waiting') wait(Math.max(soonest - env.now(), 0) + jitter(env, 0));
    else if (online()) here.ping();
  }

  const watch = () => here?.watch();
  const online = () => client.state === ONLINE && here;

  /** Sends a frame if there is a connection, and repeats it when that may help, as long as it is wanted. */
  function request(frame, answer = nothing, isWanted = () => true) {
    if (!online()) return answer({ type: LOST });
    here.say(frame, (said) => (passes(said) ? env.after(jitter(env, 0, said.retryAfter), () => isWanted() && request(frame, answer, isWanted)) : answer(said)));
  }

  const close = () => (here ? here.end({ code: 1000, stays: true }) : lost({ code: 1000 }, true));
  return { connect, hurry, close, request, online };
}

const listOf = ({ frame }) => `room/${frame.room}/messages`;
const roomOf = (list) => /^room.(.+).messages$/.exec(list)?.[1];

/** Whether a command waits for the answer to one before it: of those without an id the last one of a room counts. */
const follows = ({ frame: { id, command = id, room } }, stated) => !command && stated.size === stated.add(room).size;

/** The commands without a final answer, in order. They outlive connections. */
function outbox(env, client, link, changed) {
  const entries = new Map();
  const fates = fatesOf(entries, changed);
  const soonest = new Map(); // room → when its commands may be sent again, so that none overtakes one that must wait
  let underWay = 0;
  let isWary; // a command has ended the connection, so they go one at a time until it is found

  function add(key, frame, row) {
    const promise = new Promise((resolve, reject) => entries.set(key, { frame, row, resolve, reject }));
    promise.catch(nothing); // a refused message reports it in its pending row
    flush();
    changed({ frame, row });
    return promise;
  }

  function flush() {
    const here = link.online();
    if (!here) return;
    const [{ text: limit }, stated] = [client.welcome.limits, new Set()];
    for (const [key, entry] of entries) {
      if (!here.hasRoom() || (isWary && underWay)) return;
      if (env.now() < soonest.get(entry.frame.room) || follows(entry, stated) || entry.sent || entry.row?.error) continue;
      const size = textBytes(entry.frame.text).length;
      if (size > limit) fates.refuse(key, entry, 'too_large', `text: has ${size} bytes, at most ${limit} are taken`);
      else say(here, key, entry, isWary);
    }
    isWary = false;
  }

  function say(here, key, entry, isAlone) {
    entry.sent = true;
    underWay++;
    here.say(entry.frame, (answer) => {
      const { type, code, error, message, retryAfter } = answer;
      const isFinal = FINAL.has(code);
      underWay--;
      if (type === 'ok') fates.done(key, entry, answer);
      else if (isFinal && isAlone) fates.refuse(key, entry, 'too_large', `connection lost: ${code}`);
      else if (type === LOST || passes(answer)) {
        entry.sent = false;
        isWary ||= isFinal;
        if (error) {
          const delay = jitter(env, 0, retryAfter);
          soonest.set(entry.frame.room, env.now() + delay);
          env.after(delay, flush);
        }
      } else fates.refuse(key, entry, error, message);
      flush();
    });
  }

  /** Repeats everything after a reconnect; the server knows a repeat by its id. */
  function repeat() {
    for (const entry of entries.values()) entry.sent = false;
    flush();
  }

  return { add, flush, repeat, ...fates };
}

/** The outcomes of commands. A message is kept until its list shows it. */
const fatesOf = (entries, changed) => ({
  done(key, entry, { list, revision }) {
    entry.resolve({ id: entry.frame.id, list, revision });
    entry.revision = revision;
    // A message stays pending until its list has reached its revision.
    if (!entry.row) entries.delete(key);
    changed(entry);
  },

  refuse(key, entry, error, message) {
    entry.reject(refusal({ error, message }));
    if (entry.row) entry.row = { ...entry.row, error, message };
    else entries.delete(key);
    changed(entry);
  },

  /** Ends the pending state of messages that the list shows. */
  settle(list, inserted, revision) {
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

/** One list, for all of its handles: a replica, and the requests when a frame does not fit it. */
function sharedList(name, env, client, link, commands, marks) {
  const rows = replica(name);
  const handles = handlesOf(rows, () => snapshot(), env);
  const paging = (name === MENTIONS ? olderMentions : pages)(name, link, rows, receive, () => !awaited, () => tell(noChanges('page')));
  let isFollowed = false; // whether it is subscribed to, now or with the next connection
  let awaited = true; // whether there is no answer to subscribe yet: news before it is ignored
  let turns = 0; // the number of the last subscribe: answers to those before it are ignored
  let isAsked = false; // whether that is under way
  let limit = 0;
  let asked; // the limit that it had
  let isWrong = false; // whether the held rows are
  let failures = 0;
  let held; // the snapshot, until something changes

  function start(resume = isWrong ? null : rows.resume(handles.place())) {
    const turn = ++turns;
    isFollowed = awaited = isAsked = true;
    asked = limit;
    handles.standing = undefined; // usual rights are not told
    link.request({ type: 'subscribe', list: name, limit, resume }, (answer) => turn === turns && answered(answer), () => isFollowed && turn === turns);
  }

  function answered(answer) {
    isAsked = false;
    if (answer.type === LOST) return;
    if (answer.type === 'error') return handles.fail(answer);
    awaited = false;
    receive(answer);
    awaited ||= !isFollowed; // nobody was left when it came
    if (awaited) return;
    marks.again(name);
    more();
  }

  /** Asks for as many rooms as a handle has come to want. */
  function more() {
    if (name === ROOMS && !awaited && limit > asked) start({ ...rows.resume(), rows: undefined });
  }

  function receive(frame) {
    const { type } = frame;
    if (type === 'ended') stop(); // the user decides about coming back
    if (type === 'ended' || type === 'standing') return handles[type === 'ended' ? 'fail' : 'stand'](frame);
    if (awaited) return;
    const { epoch } = rows.state;
    const { verdict, why, changes } = rows.apply(frame);
    if (rows.state.epoch !== epoch) marks.unmark(name); // another history: its revisions are other messages
    if (verdict === 'resume' && isFollowed) start();
    else if (verdict === 'restart') restart(why);
    else if (verdict === 'applied') {
      [failures, isWrong] = [0, false];
      paging.follow?.();
      tell(changes);
    }
    return verdict;
  }

  /** Subscribes anew without `resume`, because the held rows are wrong. */
  function restart(why) {
    const turn = ++turns;
    awaited = isWrong = true;
    client.resyncs++;
    env.after(failures && jitter(env, failures), () => isFollowed && turn === turns && start());
    failures++;
    handles.fail({ error: 'diverged', message: why });
  }

  function stop() {
    const was = isFollowed;
    [isFollowed, isAsked, awaited] = [false, false, true];
    return was;
  }

  function tell(changes) {
    if (!changes) return;
    commands.settle(name, changes.inserted, rows.state.revision);
    held = undefined;
    handles.tell(changes);
  }

  const snapshot = () => (held ??= Object.freeze({ ...rows.state, ...paging.state?.(), pending: Object.freeze(commands.pending(name)) }));

  return {
    ...paging,
    ...handles,
    get: (id) => rows.get(id),
    placeOf: rows.placeOf,
    snapshot,
    receive,
    tell,
    stop,
    begin: () => isFollowed && start(),
    trim: () => tell(rows.trim(handles.keep())),
    /** Asks for so many more rows of each section that has too many for all to be sent. Nothing while an answer is awaited. */
    grow(by) {
      if (!awaited) limit = Math.min(limit + by, client.welcome.limits.memberships);
      more();
    },
    /** Takes a handle in, which may be back. A list that stands is subscribed to again only for one that was here. */
    attach(handle) {
      const isNew = handles.add(handle, () => awaited);
      limit = Math.max(limit, handle.limit);
      if (!isAsked && (!isFollowed || awaited || !isNew)) start();
      else more();
    },
  };
}

/** The handles of one list. Each is told what has changed since what it was told last. */
function handlesOf(rows, snapshot, env) {
  const all = new Set();
  let released = 0; // the number of those that were let go of by the list's name
  let standingSince = 0; // when the user's rights were told

  /** Calls each that is still here, also after one that throws. */
  function each(action) {
    const thrown = [];
    for (const handle of all)
      try {
        if (all.has(handle)) action(handle);
      } catch (error) {
        thrown.push(error);
      }
    if (thrown.length) throw thrown[0];
  }

  function tellOne(handle, changes) {
    const { seen, isBehind } = handle;
    handle.seen = snapshot();
    handle.isBehind = false;
    handle.onChange({ snapshot: handle.seen, changes: isBehind ? changesSince(seen, handle.seen, changes.why) : changes });
  }

  const among = {
    standing: undefined, // the user's rights, as they were told last
    size: () => all.size,
    /** Returns whether it is another one. It begins with what is there, after its maker has returned. */
    add(handle, isOld) {
      if (all.size === all.add(handle).size) return false;
      handle.isBehind = true;
      queueMicrotask(() => {
        if (!all.has(handle) || !handle.isBehind) return;
        if (among.standing) handle.onStanding(remaining(among.standing, env.now() - standingSince));
        if (rows.state.epoch && handle.seen !== snapshot()) tellOne(handle, noChanges(isOld() ? 'held' : 'snapshot'));
      });
      return true;
    },
    /** Lets go of a handle, or of one that is not named. Returns whether none is left. */
    release(handle) {
      if (handle ? !all.delete(handle) : ++released > all.size) return false;
      if (released < all.size) return false;
      all.clear();
      released = 0;
      return true;
    },
    tell: (changes) => each((handle) => tellOne(handle, changes)),
    fail: (error) => each(({ onError }) => onError(error)),
    stand(standing) {
      [among.standing, standingSince] = [standing, env.now()];
      each(({ onStanding }) => onStanding(standing));
    },
    place: () => [...all].map(({ at }) => at()).findLast((at) => at !== undefined),
    keep: () => Math.max(...[...all].map(({ keep }) => keep)),
  };
  return among;
}

/** A standing that was told some time ago. */
const remaining = ({ mutedFor, ...standing }, past) => (mutedFor > past ? { ...standing, mutedFor: mutedFor - past } : standing);

/** The changes from a snapshot, or from nothing, to a later one. */
function changesSince(before, { sections }, why) {
  const changes = noChanges(why);
  const old = new Map(before?.sections.flatMap(({ rows }) => rows).map((row) => [row.id, row]));
  for (const row of sections.flatMap(({ rows }) => rows)) {
    const was = old.get(row.id);
    if (!was) changes.inserted.push(row);
    else if (was !== row) {
      if (!same(was, row)) changes.moved.push(row);
      changes.reloaded.push(row);
    }
    old.delete(row.id);
  }
  changes.deleted.push(...old.keys());
  return changes;
}

/** One subscriber's side of a list: what `subscribe` returns. */
function handleOf(name, { limit = 50, at = nothing, onChange = nothing, onError = nothing, onStanding = nothing }, lists, make, release) {
  const handle = { limit, at, onChange, onError, onStanding, keep: Infinity };
  let list;

  /** A page is wanted: its rows are not trimmed before this handle trims again. */
  const page = (kind) => (...place) => {
    handle.keep = Infinity;
    return list[kind](...place);
  };

  function rejoin() {
    list = lists.get(name) ?? list ?? make(name);
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
    /** Drops all but the newest `keep` rows that no other handle has kept. A list that is never trimmed grows as long as people talk. */
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
 * The messages that mention the user from before the list of the newest: pages, as of when they were read. When rows go from
 * the list's beginning because newer ones are there, they are missing until a page before its first row brings them.
 */
function olderMentions(name, link, rows, receive, isReady, changed) {
  let held = []; // in order, without a gap
  let more; // whether there are older ones; not known before the first page
  let seam; // the id of the list's row on which they join
  let isTorn = false; // whether rows are missing between them and the list
  let epoch;
  let underWay;

  const first = () => rows.state.sections[0]?.rows[0];
  const hasMore = () => isTorn || (more ?? rows.state.count >= MOST_MENTIONS);

  /** Takes the list's present rows. Pages of another epoch are nothing to it: the user may see less now. */
  function follow() {
    if (epoch !== rows.state.epoch || !first()) [held, more, seam, isTorn] = [[], undefined, undefined, false];
    epoch = rows.state.epoch;
    if (!seam) return;
    isTorn = !rows.get(seam) && !held.some(({ id }) => id === first().id);
    if (isTorn) return void page();
    seam = first().id;
    held = held.filter(({ id }) => !rows.get(id));
  }

  /** Puts in a page that was asked for before a row. It takes the place of what was held of its part. */
  function take({ id }, answer) {
    if (answer.epoch !== epoch) return;
    const end = held.findIndex((row) => row.id === id);
    const [past, rest] = end < 0 ? [held, []] : [held.slice(0, end), held.slice(end)];
    const start = past.findIndex((row) => row.id === answer.rows[0]?.id);
    const joins = answer.more && start >= 0;
    held = [...past.slice(0, joins ? start : 0), ...answer.rows, ...rest];
    if (!joins) ({ more } = answer);
    if (end < 0) seam = id;
    follow();
    changed();
  }

  /** Resolves to whether rows came. */
  function page(limit = 100) {
    const row = isTorn ? first() : (held[0] ?? first());
    if (!row || !isReady()) return Promise.resolve(false);
    const { id, time } = row;
    if (!underWay) {
      let resolve;
      underWay = new Promise((it) => (resolve = it));
      const asked = underWay;
      link.request({ type: 'page', list: name, before: { id, time }, limit }, (answer) => {
        underWay = undefined;
        if (answer.type === 'page') take(row, answer);
        if (answer.type === 'error') [more, isTorn] = [false, false]; // an older server has none
        resolve(answer.rows?.length > 0);
      });
      return asked;
    }
    return underWay;
  }

  const older = async (limit) => hasMore() && page(limit);
  const state = () => ({ older: Object.freeze([...held]), more: hasMore() });
  return { follow, state, older };
}

/** Asks for parts of a list, each once at a time. Their rows arrive by `onChange`. */
function pages(name, link, rows, receive, isReady) {
  const underWay = new Map();

  function ask(frame, resolve) {
    link.request(frame, (answer) => {
      if (answer.type === 'page' && receive(answer) === 'again') return ask(frame, resolve);
      resolve(answer.rows ?? []);
    });
  }

  /** Resolves to the rows of the page; none if it did not come. */
  function page(place, limit = 100) {
    if (!isReady()) return [];
    const frame = { type: 'page', list: name, ...place, limit };
    const key = JSON.stringify(place);
    const paging = underWay.get(key) ?? new Promise((resolve) => ask(frame, resolve)).finally(() => underWay.delete(key));
    underWay.set(key, paging);
    return paging;
  }

  const came = ({ length }) => length > 0;
  const older = async (limit) => rows.state.more && came(await page({ before: rows.state.ranges[0][0] }, limit));
  const fill = async ({ after, sort }, side, limit) => came(await page(side === 'after' ? { after } : { after, before: sort }, limit));

  /** Resolves to the row that the page is around. */
  async function goTo(place, limit) {
    const those = rows.get(place.id) ? [place] : await page({ around: place }, limit);
    const target = those.find(({ id, sort, time }) => id === place.id || sort >= place.revision || time >= place.time) ?? those.at(-1);
    return rows.get(target?.id);
  }

  return { older, fill, goTo };
}

/** The typing and read marks of this user. A new connection does not remember them. */
function signals(env, link) {
  const typed = new Map(); // room → the time until which `typing` need not be repeated
  const marks = new Map(); // room → the revision read
  const sayRead = (room, revision) => link.request({ type: 'read', room, revision });

  return {
    forget: () => typed.clear(),
    /** Repeats the mark of a room whose messages are followed again. */
    again(list) {
      const room = roomOf(list);
      if (marks.has(room)) sayRead(room, marks.get(room));
    },
    /** Notes that a message was sent, which ends typing. */
    said: (room) => typed.delete(room),
    typing(room, on) {
      const now = env.now();
      const until = typed.get(room);
      if (on ? now < until : !until) return;
      typed.set(room, on && now + TYPING_AGAIN);
      link.request({ type: 'typing', room, on });
    },
    /** Forgets the mark of a room whose messages are not followed any more: it could not be repeated. */
    unmark: (list) => marks.delete(roomOf(list)),
    /** Without a revision: all that is there now. That is never repeated, because it would count what has come since. */
    read(room, revision) {
      if (revision <= marks.get(room)) return;
      if (revision) marks.set(room, revision);
      sayRead(room, revision);
    },
  };
}

/** The people whose profiles this user wants. A new connection may not remember them. */
function acquaintances(client, link) {
  const wanted = new Set(); // in the order in which they came

  function ask(names) {
    for (let at = 0; at < names.length; at += MOST_ASKED) link.request({ type: 'people', names: names.slice(at, at + MOST_ASKED) });
  }

  return {
    /** Asks for all again: before the list is subscribed to, so that its snapshot has them. */
    meet: () => ask([...wanted]),
    know(people) {
      const fresh = [...people].filter((id) => !wanted.has(id) && wanted.add(id));
      for (const id of wanted) if (wanted.size > client.welcome?.limits.people) wanted.delete(id);
      ask(fresh);
    },
  };
}

/** The commands that change rooms and what is said in them, but `send`; and what moderators have done there. */
function changing(commands, link) {
  function change(type, { command = uuid(), ...what }) {
    return commands.add(command, { type, command, ...what });
  }

  /** Makes an open or private room, or the direct room of these people unless there is one. Resolves to the room's name. */
  async function create({ people = [], ...what }) {
    const { list } = await change('create', { ...what, people: people.map((name) => name.normalize()) });
    return roomOf(list);
  }

  const audit = (room, place) =>
    new Promise((resolve, reject) => link.request({ type: 'audit', room, ...place }, (answer) => (answer.entries ? resolve(answer) : reject(refusal(answer)))));

  const plain = (type) => (room, what) => commands.add(uuid(), { type, room, ...what });
  return {
    audit,
    create,
    edit: (room, id, text, more) => change('edit', { room, id, text: entered(text), ...more }),
    delete: (room, id) => change('delete', { room, id }),
    react: (room, id, emoji, on) => change('react', { room, id, emoji: on ? emoji.normalize() : emoji, on }),
    moderate: (room, action, what) => change('moderate', { room, action, ...what }),
    join: plain('join'),
    leave: plain('leave'),
    set: plain('settings'),
  };
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
    const lists = new Map();
    const link = lasting(options, env, this, begin, hear, () => commands.flush());
    const commands = outbox(env, this, link, (entry) => entry.row && lists.get(listOf(entry))?.tell(noChanges('pending')));
    const { said, forget, again, unmark, ...signs } = signals(env, link);
    const { meet, know } = acquaintances(this, link);
    const client = this;

    function hear(frame) {
      lists.get(frame.list ?? listOf({ frame }))?.receive(frame);
    }

    function begin(welcome) {
      client.welcome = welcome;
      forget();
      meet();
      for (const list of lists.values()) list.begin();
      commands.repeat();
    }

    const make = (name) => sharedList(name, env, client, link, commands, { again, unmark });

    /** Follows a list; `onChange` is called after each change with the list and the changes. Each call makes a handle that lives by itself. */
    const subscribe = (name, options = {}) => handleOf(name, options, lists, make, release);

    /** Lets go of a handle, or of any. The list is followed as long as one is left. */
    function release(name, list, handle) {
      if (!list?.release(handle) || lists.get(name) !== list) return;
      lists.delete(name);
      if (!list.stop()) return;
      unmark(name);
      link.request({ type: 'unsubscribe', list: name });
    }

    const unsubscribe = (name) => release(name, lists.get(name));

    /** Sends a message: pending at once, and repeated with the same id until it is answered. */
    function send(room, text, { id = uuid(), ...more } = {}) {
      said(room);
      const what = { id, text: entered(text), ...more };
      return commands.add(id, { type: 'send', room, ...what }, { ...what, author: client.welcome?.user ?? options.user, time: Date.now() });
    }

    Object.assign(this, signs, changing(commands, link), {
      connect: link.connect,
      hurry: link.hurry,
      close: link.close,
      discard: commands.discard,
      subscribe,
      unsubscribe,
      send,
      know,
    });
    link.connect();
  }
}
