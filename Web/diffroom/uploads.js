/** The upload of one file, which goes on after a lost connection. */

import { frameOf, jitter, refusal } from './requests.js';

const MOST_TRIES = 8; // of an upload, without another byte at the server
const STALLED = 60_000; // ms without progress after which an upload is tried anew

/** Settles as a promise does, or rejects when a signal is aborted. */
export const unlessAborted = (signal, promise) =>
  Promise.race([promise, new Promise((_, reject) => (signal?.aborted ? reject(signal.reason) : signal?.addEventListener('abort', () => reject(signal.reason))))]);

/** Returns the error of an upload that ended with an answer over HTTP, or without one. */
function failedUpload({ status, text }) {
  const { code, ...frame } = frameOf(text) ?? {};
  return refusal({ error: code, message: status ? `The server answered with ${status}.` : 'The connection was lost.', ...frame });
}

/** Returns a function that makes one request of an upload, and resolves to the answer: to the status 0 if there is none. */
function transferring(env, file, { signal, onprogress }) {
  return async function transfer(method, url, offset, request) {
    const ending = new AbortController();
    let timer;
    const progressed = (loaded) => {
      env.cancel(timer);
      timer = env.after(STALLED, () => ending.abort());
      onprogress?.({ loaded: offset + loaded, total: file.size });
    };
    try {
      const made = env.transfer(method, url, { ...request, signal: ending.signal, onprogress: progressed });
      const answer = await unlessAborted(signal, made);
      return { ...answer, offset: answer.offset === null ? undefined : Number(answer.offset) };
    } catch {
      if (signal?.aborted) throw signal.reason;
      return { status: 0 };
    } finally {
      env.cancel(timer);
      ending.abort(); // nothing, once there is an answer
    }
  };
}

/**
 * Makes the requests of one upload: `open` gets its permit, `look` the number of bytes that the server has, `put` sends the others. All
 * bytes of a file go to a store at once; `put` then has the server confirm them, and sends none where an earlier try has sent them.
 */
export function uploadSteps(env, file, options, open) {
  const { signal } = options;
  const transfer = transferring(env, file, options);
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
export async function uploadBy({ open, look, put, pause }, size) {
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
    offset = Math.min(offset, size - 1); // if it is whole, the answer was lost: the last byte gets it again
  }
}
