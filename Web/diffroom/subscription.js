/** The subscription of one list. */

import { noChanges } from './changes.js';
import { OF_ROOMS } from './identifiers.js';
import { jitter, LOST } from './requests.js';

// The phases of a subscription: `ENDED` before the first handle and after the last one; `ASKED` after a subscribe; `LIVE`
// with its answer; `UNANSWERED` if that was lost or an error, and while the next subscribe waits.
const ENDED = 0;
const ASKED = 1;
const UNANSWERED = 2;
const LIVE = 3;

/** One list's subscription: `frame` returns a subscribe, and `live` is called after its answer was applied. */
function subscription({ env, client, link }, { rows, handles, handle, notify }, { frame, live }) {
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
    if (phase === LIVE && handle(answer) === 'ignored') notify(noChanges('diff')); // what was held is as of now
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
export function following(name, context, list) {
  let limit = 0;
  let asked; // the limit of the last subscribe
  const frame = (resume) => ({ type: 'subscribe', list: name, limit: (asked = limit), resume });
  const { isAsked, ...subscribed } = subscription(context, list, { frame, live });
  const { start, isLive } = subscribed;

  /** Asks for as many rooms as a handle has come to want. */
  function more() {
    if (OF_ROOMS.has(name) && isLive() && limit > asked) start({ ...list.rows.resume(), rows: undefined, sums: undefined });
  }

  function live() {
    context.marks.again(name);
    more();
  }

  return {
    ...subscribed,
    /** Asks for so many more rows of each section that has too many for all to be sent. Nothing while an answer is awaited. */
    grow(by) {
      if (isLive()) limit = Math.min(limit + by, context.client.welcome.limits.memberships);
      more();
    },
    /** Adds a handle, which may be back. A list that stands is subscribed to again only for one that was here. */
    attach(handle) {
      const isNew = list.handles.add(handle, isLive);
      limit = Math.max(limit, handle.limit);
      if (isAsked() || (isLive() && isNew)) more();
      else start();
    },
  };
}
