/** A connection that reconnects by itself. */

import { connection } from './connection.js';
import { originRefused } from './environment.js';
import { jitter, requesting } from './requests.js';

const ONLINE = 'online';
const WAITING = 'waiting';
const STOPPED = 'stopped';

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
export function reconnecting(options, env, client, handlers) {
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

  function lost({ why, isFinal, retryAfter, hasWorked }) {
    here = null;
    if (hasWorked) tries = 0;
    if (isFinal) return become(STOPPED, why);
    if (why.code === 1006 && !tries) originRefused(options.url, env).then((reason) => reason && client.state !== STOPPED && !online() && stop({ code: 1006, reason }));
    soonest = env.now() + retryAfter;
    become(WAITING, { ...why, delay: jitter(env, tries++, retryAfter) });
  }

  /** The network is back: tries soon, with a jitter against a crowd. If there is a connection, a ping tests it. */
  function hurry() {
    if (client.state === WAITING) become(WAITING, { delay: Math.max(soonest - env.now(), 0) + jitter(env, 0) });
    else if (online()) here.ping();
  }

  return { link: { online, request: requesting(env, online) }, control: { connect, hurry, close: () => stop({ code: 1000 }) } };
}
