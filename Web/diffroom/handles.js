/** The handles of one list, each one subscriber's side of it. */

import { changesSince, noChanges } from './changes.js';

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
export function handlesOf(rows, snapshot, env) {
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
    keep: () => Math.max(...[...all].map(({ keep }) => keep)),
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

/** One subscriber's side of a list: what `subscribe` returns. */
export function handleOf(name, options, { lists, make, release }) {
  const { limit = 50, at = () => {}, onChange = () => {}, onError = () => {}, onStanding = () => {}, kept } = options;
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
