/** Requests to a server and their answers: whether and when a request is repeated. */

export const LOST = 'lost'; // the type of an answer that never came because its connection has ended
export const FINAL = new Set([1003, 1007, 1009]); // close codes for a frame that the server cannot accept: a repeat would not help
const FIRST_WAIT = 500; // ms
const LONGEST_WAIT = 30_000; // ms
const MOST_ASKED = 200; // the number of people that one request can ask for, and of rooms that one marks as read

/** Returns an error that has the name, the reason and the field of the server's. */
export const refusal = ({ error, reason, field, message }) => Object.assign(Error(message), { error, reason, field });

/** Returns whether the same request may succeed later. */
export const passes = ({ error }) => error === 'unavailable' || error === 'rate_limited';

/** Returns a wait with full jitter after the server's, so that clients that lost one server do not return together. */
export const jitter = ({ random }, tries, retryAfter = 0) => retryAfter + random() * Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** tries);

/** Returns the frame in a message; nothing if there is none. */
export function frameOf(data) {
  try {
    const frame = JSON.parse(data);
    return frame.type && frame;
  } catch {}
}

/** The requests over one socket, with their answers. The server accepts only so many at once: the others wait. */
export function requests(env, client, transmit) {
  const answers = new Map();
  const waiting = [];
  let lastRef = 0;

  const numbered = (frame, answer) => JSON.stringify({ ref: answers.set(++lastRef, answer) && lastRef, ...frame });
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

/** Returns a function that sends a frame over the connection, if there is one, and repeats it when that may help, as long as it is wanted. */
export function requesting(env, online) {
  return function request(frame, handle, isWanted = () => true) {
    const repeat = () => isWanted() && request(frame, handle, isWanted);
    const answered = (answer) => (passes(answer) ? env.after(jitter(env, 0, answer.retryAfter), repeat) : handle?.(answer));
    if (online()) online().enqueue(frame, answered);
    else handle?.({ type: LOST });
  };
}

/** Returns a function that sends a request and resolves to its answer, which has a field; it rejects with another answer. */
export const asking = (link) => (frame, field, isWanted) =>
  new Promise((resolve, reject) => link.request(frame, (answer) => (answer[field] ? resolve(answer) : reject(refusal(answer))), isWanted));

/** Sends requests about all names, each about as many as one request may have. */
export function requestInParts(link, names, request) {
  while (names.length) link.request(request(names.splice(0, MOST_ASKED)));
}
