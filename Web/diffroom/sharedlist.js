/** One list for all of its handles, and all lists of a client. */

import { noChanges } from './changes.js';
import { handleOf, handlesOf } from './handles.js';
import { MENTIONS } from './identifiers.js';
import { olderMentions } from './oldermentions.js';
import { pages } from './pages.js';
import { replica } from './replica.js';
import { following } from './subscription.js';

/** One list, for all of its handles: a replica, and the subscription that keeps it up to date. */
export function sharedList(name, context, kept) {
  const { env, link, commands, marks } = context;
  const rows = replica(name);
  if (kept) rows.apply({ ...kept, type: 'snapshot', kept });
  const handles = handlesOf(rows, () => snapshot(), env);
  const { start, restart, isLive, ...subscribed } = following(name, context, { rows, handles, handle, notify });
  const source = { name, link, rows, isReady: isLive };
  const paging = name === MENTIONS ? olderMentions({ ...source, changed: () => notify(noChanges('page')) }) : pages({ ...source, handle });
  let held; // the snapshot, until something changes

  function handle(frame) {
    if (frame.type === 'standing') return handles.stand(frame);
    if (frame.type === 'ended') {
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

  const snapshot = () => (held ??= Object.freeze({ ...rows.state, ...paging.state?.(), pending: Object.freeze(commands.pending(name)) }));
  const trim = () => notify(rows.trim(handles.keep()));
  return { ...paging, ...handles, ...subscribed, get: (id) => rows.get(id), placeOf: rows.placeOf, snapshot, handle, notify, trim };
}

/**
 * Returns the lists that are followed, by name, and what a client's user does with them. `make` makes one; `released` is called when one
 * was followed and has no handle left.
 */
export function listsOf(make, released) {
  const lists = new Map();

  /** Releases a handle, or one that is not named. A list is followed as long as one is left. */
  function release(name, list, handle) {
    if (!list?.release(handle)) return;
    lists.delete(name);
    if (list.stop()) released(name);
  }

  return {
    lists,
    following: {
      /** Follows a list; `onChange` is called after each change with the list and the changes. Each call makes a handle that lives by itself. */
      subscribe: (name, options = {}) => handleOf(name, options, { lists, make, release }),
      unsubscribe: (name) => release(name, lists.get(name)),
    },
  };
}
