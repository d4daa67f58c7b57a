/** One connection, from its socket to its end. */

import { FINAL, frameOf, LOST, passes, requests } from './requests.js';

const GRACE = 10_000; // ms of silence beyond the heartbeat that mean a dead connection
const SETTLED = 5_000; // ms after which a connection that ends counts as a good one

/** Pings when either side of a connection is silent for a heartbeat, and calls `died` if nothing comes after that. */
function watchdog(env, measure, died) {
  let receivedAt = env.now();
  let sentAt = receivedAt;
  let awaitedSince = receivedAt; // the time since which a frame of any kind is awaited
  let heartbeat = 25_000; // until the server names another
  let timer;

  const due = () => (awaitedSince + GRACE || Math.min(receivedAt, sentAt) + heartbeat) - env.now();

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
export function connection(options, env, client, { welcomed, received, answered, lost }) {
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
    lost({ why: { code, reason, error }, isFinal, retryAfter, hasWorked: env.now() > onlineAt + SETTLED });
    exchange.cancel(code);
  }

  Object.assign(socket, { onopen: () => introduce('hello', greeted), onmessage: handle, onclose: end });
  return { ...exchange, end };
}
