/**
 * Diffroom's client library: rooms as live lists, over one WebSocket.
 *
 *     const chat = new Diffroom({ url: 'wss://chat.example', user: 'ann', onState: console.log });
 *     const room = chat.subscribe('room/lobby/messages', { onChange: ({ snapshot, changes }) => draw(snapshot, changes) });
 *     chat.send('lobby', 'hello');
 *
 * A `replica` holds one list and decides what each frame means for it. `Diffroom` holds the connection: it comes back by
 * itself, resumes every list where it stood, and says again what was not answered.
 * The shapes are in diffroom.d.ts.
 */

const FIRST_WAIT = 500; // ms
const LONGEST_WAIT = 30_000; // ms

/** What each operation of a diff makes of the row that is held; nothing means that the row goes. In the order of application. */
const OPERATIONS = {
  del: () => undefined,
  mov: (row, { section, sort, rev }) => ({ ...row, section, sort, rev }),
  ins: (row, op) => op,
  rel: (row, op) => ({ ...op, section: row.section, sort: row.sort }),
  cfg: (row, { rev, reactions, typing, read }) => ({ ...row, rev, reactions, typing, read }),
};

const nothing = () => {};

const refuse = (verdict, why) => ({ verdict, why });

/** What a frame says cannot be, after what is held. */
function contradict(why) {
  throw { why };
}

/**
 * One list as a reader holds it: rows ordered by (section, sort), each known by its id. It knows no socket and no clock.
 *
 * Rows are never changed in place, so a row kept from an earlier change still says what it said then. The cost of a
 * diff follows what it changes: binary search by sort, a map by id.
 */
export function replica(name) {
  const PROVEN_ROWS = 32; // how many rows at the end of a list its digest covers
  /** `sections` in the list's order, their `rows` ascending by sort. */
  const state = { list: name, sections: [], more: false, count: 0 };
  const idBytes = name.endsWith('/messages') ? uuidBytes : textBytes;
  let byId = new Map();
  let oldest = 0; // no row before this sort key was ever asked for
  let newestPage = 0; // rows of a page can be newer than the list: only from here on do digests tell anything
  let asked = false; // whether a page is awaited, for the window that is held now

  /** Takes a `snapshot`, `diff` or `page` frame: all of it, or nothing. */
  function apply(frame) {
    const held = new Map(); // what each touched row was before
    const reloaded = new Set();
    try {
      const other = { snapshot, diff, page }[frame.type](frame, held, reloaded);
      return other ?? { verdict: 'applied', changes: changes(frame.type, held, reloaded) };
    } catch (error) {
      for (const [id, row] of held) put(id, row);
      return refuse('restart', error.why ?? 'malformed');
    }
  }

  function diff(frame, held, reloaded) {
    const { epoch, from, to, count, counts, start } = frame;
    const here = epoch === state.epoch;
    if (here && to <= state.revision) {
      if (to === state.revision) prove(frame, to);
      return refuse('ignored', 'duplicate');
    }
    if (!here || from !== state.revision) return refuse('resume', here ? 'gap' : 'other_epoch');
    for (const key in frame) if (Array.isArray(frame[key]) && !OPERATIONS[key]) contradict('unknown_operation');
    const seen = new Map();
    for (const kind in OPERATIONS) for (const op of frame[kind] ?? []) operate(kind, op, seen, held, reloaded);
    // What is before the list's beginning was trimmed.
    while (first()?.[0].sort < start) replace(held, first()[0].id);
    order(held.keys());
    prove(frame, to);
    Object.assign(state, { revision: to, count, counts, more: state.more && byId.size < count });
  }

  function operate(kind, op, seen, held, reloaded) {
    const id = op.id ?? op;
    const row = byId.get(id);
    const moves = seen.get(id) === 'mov' && /rel|cfg/.test(kind);
    if (seen.has(id) && !moves) contradict();
    seen.set(id, kind);
    if (!row && kind !== 'ins') return;
    // Two operations of one diff may touch one row, both with its new rev: what counts is the rev before the diff.
    if (op.rev <= (held.has(id) ? held.get(id) : row)?.rev) return;
    if (/ins|rel/.test(kind)) reloaded.add(id);
    replace(held, id, OPERATIONS[kind](row, op));
  }

  function snapshot({ epoch, revision, joined, more, count, counts, digest, sections }, held, reloaded) {
    const before = [state.sections, byId];
    state.sections = sections.map(({ id }) => ({ id, rows: [] }));
    byId = new Map();
    try {
      for (const { id: section, rows } of sections) for (const row of rows) put(row.id, { ...row, section });
      order(byId.keys());
      prove({ count, digest, more });
    } catch (error) {
      [state.sections, byId] = before;
      throw error;
    }
    for (const [id, row] of before[1]) {
      held.set(id, row);
      if (byId.get(id)?.rev !== row.rev || epoch !== state.epoch) reloaded.add(id);
    }
    for (const id of byId.keys()) if (!held.has(id)) held.set(id);
    Object.assign(state, { epoch, revision, joined, more, count, counts });
    newestPage = 0;
    rewindow();
  }

  function page({ epoch, revision, more, rows }, held, reloaded) {
    // An answer about another window than today's would leave a gap.
    if (!asked || epoch !== state.epoch) return refuse('ignored', 'stale_window');
    // What was deleted since would come back.
    if (revision < state.revision) return refuse('again', 'stale_page');
    for (const row of rows) {
      const { rev, section = state.sections[+(row.sort > state.joined)].id } = byId.get(row.id) ?? {};
      if (row.rev <= rev) continue;
      reloaded.add(row.id);
      replace(held, row.id, { ...row, section });
    }
    order(held.keys());
    newestPage = Math.max(newestPage, revision);
    state.more = more;
    rewindow();
  }

  function rewindow() {
    oldest = first()?.[0].sort ?? oldest;
    asked = false;
  }

  /** The `before` of a page that goes in front of what is held now. */
  function expectPage() {
    asked = true;
    return oldest;
  }

  /** Lets go of the oldest rows but `keep`; they can be paged in again. */
  function trim(keep) {
    const held = new Map();
    while (byId.size > keep) {
      for (const row of first().splice(0, byId.size - keep)) {
        held.set(row.id, row);
        byId.delete(row.id);
      }
    }
    if (!held.size) return;
    state.more = true;
    rewindow();
    return changes('trim', held);
  }

  /** The rows of the first section that has some. */
  const first = () => state.sections.find(({ rows }) => rows.length)?.rows;

  function replace(held, id, row) {
    if (!held.has(id)) held.set(id, byId.get(id));
    put(id, row);
  }

  /** Puts a row where it belongs, or takes it out if there is none. Throws before it has changed anything. */
  function put(id, row) {
    if (row && !(id.length && [row.sort, row.rev].every(Number.isSafeInteger))) contradict();
    const [rows, index] = row ? placeOf(row) : [];
    const old = byId.get(id);
    if (old && row && same(old, row)) rows[index] = row;
    else {
      const [others, from] = old ? placeOf(old) : [];
      // While rows change places, two can have one sort key: the row itself is looked for from there on.
      others?.splice(others.indexOf(old, from), 1);
      if (row) rows.splice(placeOf(row)[1], 0, row);
    }
    if (row) byId.set(id, row);
    else byId.delete(id);
  }

  /** The rows of the row's section, and its index in them: O(log rows). */
  function placeOf({ section, sort }) {
    const { rows } = state.sections.find(({ id }) => id === section);
    return [rows, lowerBound(rows, sort)];
  }

  /** Throws unless what is held agrees with the frame, as far as that can be told. */
  function prove({ count, digest, more = state.more }, revision = newestPage) {
    if (revision < newestPage) return;
    const { size } = byId;
    const depth = Math.min(PROVEN_ROWS, count);
    if (size > count || (!more && size < count) || (size >= depth && last(depth).reduce((sum, row) => (sum + rowHash(row, idBytes)) >>> 0, 0) !== digest)) contradict('diverged');
  }

  /** Throws if two rows have one place. */
  function order(ids) {
    for (const id of ids) {
      const row = byId.get(id);
      const [rows, index] = row ? placeOf(row) : [[]];
      if (rows[index] !== row || (row && rows[index + 1]?.sort === row.sort)) contradict();
    }
  }

  function last(depth) {
    const rows = [];
    for (const section of state.sections.toReversed()) if (rows.length < depth) rows.push(...section.rows.slice(rows.length - depth));
    return rows;
  }

  function changes(why, held, reloaded) {
    const changes = noChanges(why);
    for (const [id, old] of held) {
      const row = byId.get(id);
      if (old && !row) changes.deleted.push(id);
      else if (row && !old) changes.inserted.push(row);
      else if (row) {
        if (!same(old, row)) changes.moved.push(row);
        if (reloaded.has(id)) changes.reloaded.push(row);
        else if (same(old, row) && row.rev !== old.rev) changes.reconfigured.push(row);
      }
    }
    return changes;
  }

  const resume = () => state.epoch && { epoch: state.epoch, revision: state.revision, joined: state.joined };
  return { state, apply, resume, get: (id) => byId.get(id), placeOf, expectPage, trim };
}


const noChanges = (why) => ({ why, deleted: [], inserted: [], moved: [], reloaded: [], reconfigured: [] });

const same = (one, other) => one.section === other.section && one.sort === other.sort;

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

/** A random UUID (version 4). `crypto.randomUUID` is missing on pages that came over plain HTTP. */
export function uuid() {
  const digit = (mask) => (mask ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (mask / 4)))).toString(16);
  return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, digit);
}

/** The first index whose row's sort is not below `sort`. */
function lowerBound(rows, sort) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].sort < sort) low = middle + 1;
    else high = middle;
  }
  return low;
}

const ONLINE = 'online';

/** What the client needs from where it runs; tests bring their own. */
const browser = {
  WebSocket: globalThis.WebSocket,
  now: () => performance.now(),
  random: Math.random,
  after: (delay, action) => setTimeout(action, delay),
  cancel: (timer) => clearTimeout(timer),
};

/** Whether the same request may succeed later. */
const passes = ({ error }) => error === 'unavailable' || error === 'rate_limited';

/** The answer to a request whose connection ended before the server gave one. */
const LOST = {};

/** Full jitter, after what the server asks for: everybody who lost the same server comes back at another moment. */
const jitter = ({ random }, tries, { retryAfter = 0 } = {}) => retryAfter + random() * Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** tries);

/**
 * A connection that comes back until it is closed or told to stay away, and the requests on it.
 *
 * States: `connecting` → `online` → `waiting` (for the next try) → `connecting` …; `stopped` after `close()`, a refused
 * hello or a close code from 4500 to 4999: only `connect()` leaves it.
 */
function connection({ url, user, token, onState = nothing }, env, onWelcome, onNews) {
  const GRACE = 10_000; // ms of silence beyond the heartbeat that mean a dead connection
  const SETTLED = 5_000; // ms after which a connection that ends counts as one that worked
  let answers = new Map();
  let state, socket, timer, bye;
  let heartbeat; // as the server says
  let latency;
  let tries = 0;
  let soonest = 0;
  let lastRef = 0;
  let onlineAt, heardAt, saidAt;
  let askedAt; // since when an answer of any kind is overdue within the grace

  function become(next, detail) {
    state = next;
    onState({ state, tries, ...detail });
  }

  function connect() {
    if (socket) return;
    listen('addEventListener');
    socket = new env.WebSocket(url, 'diffroom.v1.json');
    onlineAt = bye = undefined;
    heardAt = saidAt = askedAt = env.now();
    socket.onopen = () => introduce('hello', greeted);
    socket.onmessage = ({ data }) => hear(JSON.parse(data));
    socket.onclose = lost;
    become('connecting');
    watch();
  }

  /** Says who we are; a `token` that is a function is asked for one. */
  function introduce(type, answer) {
    const here = socket;
    const say = (token) => here === socket && measured({ type, ...(token ? { token } : { user }) }, answer);
    if (!token?.call) return say(token);
    token().then(say, ({ message }) => here === socket && (onlineAt ?? lost({ reason: message })));
  }

  function greeted(answer) {
    if (answer.type === 'welcome') {
      heartbeat = answer.heartbeat;
      onlineAt = env.now();
      become(ONLINE, { welcome: answer });
      watch();
      onWelcome(answer);
    } else if (answer !== LOST) lost({ ...answer, reason: answer.message }, !passes(answer));
  }

  function hear(frame) {
    heardAt = env.now();
    askedAt = undefined;
    const answer = answers.get(frame.ref);
    answers.delete(frame.ref);
    if (answer) answer(frame);
    else if (frame.type === 'bye') bye = frame;
    else if (frame.type === 'expiring') introduce('token');
    else onNews(frame);
    if (heardAt > saidAt + heartbeat) watch(); // a hidden page's timers are late, its messages are not
  }

  function request(frame, answer) {
    saidAt = env.now();
    answers.set(++lastRef, answer);
    socket.send(JSON.stringify({ ...frame, ref: lastRef }));
  }

  /** Says a frame that is answered without work, and takes the time. */
  function measured(frame, answer) {
    const since = env.now();
    request(frame, (said) => {
      if (said !== LOST) latency = env.now() - since;
      answer?.(said);
    });
  }

  function ping() {
    askedAt ??= env.now();
    measured({ type: 'ping' });
  }

  /** Speaks up after a heartbeat of silence on either side, and gives a connection up that does not answer. */
  function watch() {
    if (!socket) return;
    const now = env.now();
    const due = Math.min(heardAt, saidAt) + heartbeat;
    if (now >= askedAt + GRACE) return lost({ code: 4000, reason: 'silent' });
    if (state === ONLINE && now >= due) ping();
    timed(watch, (askedAt + GRACE || due) - now);
  }

  function timed(action, delay) {
    env.cancel(timer);
    timer = env.after(delay, action);
  }

  function lost(end, stay) {
    env.cancel(timer);
    if (socket) {
      socket.onmessage = socket.onclose = null;
      socket.close();
    }
    socket = null;
    const why = bye ?? end;
    const { code, retryAfter = 0 } = why;
    const now = env.now();
    if (now > onlineAt + SETTLED) tries = 0;
    if (stay || code >= 4500) {
      listen('removeEventListener');
      become('stopped', why);
    } else {
      soonest = now + retryAfter;
      wait(jitter(env, tries++, why), why);
    }
    const unanswered = answers;
    answers = new Map();
    unanswered.forEach((answer) => answer(LOST));
  }

  function wait(delay, detail) {
    timed(connect, delay);
    become('waiting', { ...detail, delay });
  }

  /** The network is back: tries soon, though not all at once with everybody else; a connection shows whether it lives. */
  function hurry() {
    if (state === 'waiting') wait(Math.max(soonest - env.now(), 0) + jitter(env, 0));
    else if (state === ONLINE) {
      ping();
      watch();
    }
  }

  /** Adding a listener again changes nothing. */
  function listen(how) {
    globalThis[how]?.('online', hurry);
    globalThis.document?.[how]('visibilitychange', watch);
  }

  /** Says a frame if there is somebody to say it to, and again when that may help. */
  function ask(frame, answer = nothing) {
    if (state !== ONLINE) return answer(LOST);
    request(frame, (said) => (passes(said) ? env.after(jitter(env, 0, said), () => ask(frame, answer)) : answer(said)));
  }

  return { connect, request: ask, say: request, hurry, close: () => lost({ code: 1000 }, true), state: () => state, latency: () => latency, waiting: () => answers.size };
}

/** What was said and is not done: in order, and longer than any connection. */
function outbox(env, link, limit, changed) {
  const entries = new Map();
  let pause;

  function add(key, frame, row) {
    const entry = { frame, row, ...Promise.withResolvers() };
    entry.promise.catch(nothing); // a refused message says so itself, in its pending row
    entries.set(key, entry);
    flush();
    changed(entry);
    return entry.promise;
  }

  function flush() {
    if (link.state() !== ONLINE || pause) return;
    for (const [key, entry] of entries) {
      if (link.waiting() >= limit()) return;
      if (entry.sent || entry.row?.error) continue;
      entry.sent = true;
      link.say(entry.frame, (answer) => answered(key, entry, answer));
    }
  }

  function answered(key, entry, answer) {
    const { type, list, revision, error, message } = answer;
    if (answer === LOST) {
      entry.sent = false;
      return flush();
    }
    if (type === 'ok') {
      entry.resolve({ id: entry.frame.id, list, revision });
      entry.revision = revision;
      // A message is shown as pending until its list has reached the revision that it is in.
      if (!entry.row) entries.delete(key);
    } else if (passes(answer)) {
      entry.sent = false;
      // Nothing overtakes a command that must wait.
      env.cancel(pause);
      pause = env.after(jitter(env, 0, answer), () => {
        pause = 0;
        flush();
      });
    } else {
      entry.reject(Object.assign(Error(message), { error }));
      if (entry.row) entry.row = { ...entry.row, error, message };
      else entries.delete(key);
    }
    changed(entry);
    flush();
  }

  /** After a reconnect everything is said again; the server knows a repeat by its id. */
  function repeat() {
    for (const entry of entries.values()) entry.sent = false;
    flush();
  }

  /** What a list shows is no longer pending. */
  function settle(list, inserted, revision) {
    for (const { id } of inserted) {
      entries.get(id)?.resolve({ id, list, revision });
      entries.delete(id);
    }
    for (const [key, entry] of entries) if (entry.revision <= revision && listOf(entry) === list) entries.delete(key);
  }

  function discard(id) {
    const entry = entries.get(id);
    if (entry?.row?.error && entries.delete(id)) changed(entry);
  }

  const pending = (list) => [...entries.values()].filter((entry) => entry.row && listOf(entry) === list).map(({ row }) => row);
  return { add, repeat, settle, discard, pending };
}

const listOf = ({ frame }) => `room/${frame.room}/messages`;

/** A subscription: a replica, and what to ask the server when a frame does not fit it. */
function subscription(name, { limit = 50, onChange = nothing, onError = nothing, onStanding = nothing }, env, link, commands, onResync) {
  const rows = replica(name);
  const { state } = rows;
  let awaited = true; // the answer that will say where the list is: news before it is not for us
  let failures = 0;
  let paging;

  function start(resume = rows.resume()) {
    awaited = true;
    link.request({ type: 'subscribe', list: name, limit, resume }, (answer) => {
      if (answer === LOST) return;
      if (answer.type === 'error') return onError(answer);
      awaited = false;
      receive(answer);
    });
  }

  function receive(frame) {
    const news = { ended: onError, standing: onStanding }[frame.type];
    if (news) return news(frame);
    if (awaited) return;
    const { verdict, why, changes } = rows.apply(frame);
    if (verdict === 'resume') start();
    else if (verdict === 'restart') restart(why);
    else if (verdict === 'applied') {
      failures = 0;
      tell(changes);
    }
    return verdict;
  }

  /** What is held cannot be right, and it cannot be told since when. */
  function restart(why) {
    awaited = true;
    onResync();
    onError({ error: 'diverged', message: why });
    env.after(failures && jitter(env, failures), () => start(null));
    failures++;
  }

  function tell(changes) {
    commands.settle(name, changes.inserted, state.revision);
    onChange({ snapshot: snapshot(), changes });
  }

  const snapshot = () => ({ ...state, pending: commands.pending(name) });

  /** Asks for older rows; they come by `onChange`. Resolves to whether any came. */
  async function older(limit = 100) {
    if (!state.more || awaited) return false;
    return (paging ??= new Promise((resolve) => ask(limit, resolve)));
  }

  function ask(limit, resolve) {
    link.request({ type: 'page', list: name, before: rows.expectPage(), limit }, (answer) => {
      if (answer.type === 'page' && receive(answer) === 'again') return ask(limit, resolve);
      paging = null;
      resolve(answer.rows?.length > 0);
    });
  }

  /** Lets go of the oldest rows but `keep`. A list that is never trimmed grows as long as people talk. */
  function trim(keep) {
    const changes = rows.trim(keep);
    if (changes) tell(changes);
  }

  return { start, receive, tell, snapshot, older, trim, get: rows.get, placeOf: rows.placeOf };
}

/** A chat server, from one user's side. */
export class Diffroom {
  /** What the server said in `welcome`. */
  welcome;
  /** How often a list had to be asked for anew because what was held could not be right. */
  resyncs = 0;

  constructor({ environment, ...options }) {
    const TYPING_AGAIN = 3_000; // ms after which typing is said again: the server forgets it after 5 s
    const env = { ...browser, ...environment };
    const lists = new Map();
    const link = connection(options, env, begin, hear);
    const limit = () => this.welcome.limits.pending;
    const commands = outbox(env, link, limit, (entry) => entry.row && lists.get(listOf(entry))?.tell(noChanges('pending')));
    const typed = new Map(); // room → until when `typing` need not be said again
    const marks = new Map(); // room → the revision read
    const client = this;

    function hear(frame) {
      const name = frame.list ?? listOf({ frame });
      lists.get(name)?.receive(frame);
      if (frame.type === 'ended') lists.delete(name); // the person decides about coming back
    }

    function begin(welcome) {
      client.welcome = welcome;
      for (const list of lists.values()) list.start();
      // Nobody remembers on a new connection who writes and who has read.
      typed.clear();
      for (const mark of marks) sayRead(...mark);
      commands.repeat();
    }

    /** Reads a list from now on; `onChange` is called after each change with what is there and what changed. */
    function subscribe(name, options = {}) {
      const list = subscription(name, options, env, link, commands, () => (client.resyncs++));
      lists.set(name, list);
      list.start(); // again, if there is no connection yet
      return list;
    }

    function unsubscribe(name) {
      if (lists.delete(name)) link.request({ type: 'unsubscribe', list: name });
    }

    /** Says something: pending at once, and said again with the same id until it is answered. */
    function send(room, text, replyTo, id = uuid()) {
      typed.delete(room); // the server takes it so, too
      const row = { id, author: client.welcome?.user ?? options.user, time: Date.now(), text, replyTo };
      return commands.add(id, { type: 'send', room, id, text, replyTo }, row);
    }

    const sayRead = (room, revision) => link.request({ type: 'read', room, revision });

    function change(type, room, what) {
      const command = uuid();
      return commands.add(command, { type, room, command, ...what });
    }

    Object.assign(this, {
      connect: link.connect,
      hurry: link.hurry,
      close: link.close,
      subscribe,
      unsubscribe,
      send,
      edit: (room, id, text) => change('edit', room, { id, text }),
      delete: (room, id) => change('delete', room, { id }),
      typing(room, on) {
        const now = env.now();
        if (on ? now < typed.get(room) : !typed.get(room)) return;
        typed.set(room, on && now + TYPING_AGAIN);
        link.request({ type: 'typing', room, on });
      },
      read(room, revision) {
        if (revision <= marks.get(room)) return;
        marks.set(room, revision);
        sayRead(room, revision);
      },
      react: (room, id, emoji, on) => change('react', room, { id, emoji, on }),
      /** Forgets a message that the server refused. */
      discard: commands.discard,
    });
    Object.defineProperties(this, { state: { get: link.state }, latency: { get: link.latency } });
    link.connect();
  }
}
