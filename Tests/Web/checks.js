/** Tests as sentences, and what they lean on. */

const tests = [];

export const test = (sentence, body) => tests.push({ sentence, body });

/** Runs every test; the result says what each found. */
export async function runAll() {
  const results = [];
  for (const { sentence, body } of tests) {
    try {
      await body();
      results.push({ sentence });
    } catch (error) {
      results.push({ sentence, failure: String(error.stack ?? error) });
    }
  }
  return results;
}

export function equal(found, expected, what = '') {
  const [a, b] = [canonical(found), canonical(expected)];
  if (a !== b) throw Error(`${what}\n  found    ${a}\n  expected ${b}`);
}

export function ok(condition, what) {
  if (!condition) throw Error(what);
}

/** JSON with sorted keys, without fields that are undefined. */
function canonical(value) {
  return JSON.stringify(value, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

/** Numbers from a seed, so that a failure can be had again. (mulberry32) */
export function random(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, below: (limit) => Math.floor(next() * limit), pick: (list) => list[Math.floor(next() * list.length)] };
}

/** A clock that moves when told, with the timers on it. */
export function handClock() {
  let now = 1_000;
  let timers = [];
  return {
    now: () => now,
    after: (delay, action) => {
      const timer = { at: now + Math.max(delay, 0), action };
      timers.push(timer);
      return timer;
    },
    cancel: (timer) => (timers = timers.filter((other) => other !== timer)),
    /** When the next timer is due, in milliseconds from now. */
    next: () => Math.min(...timers.map(({ at }) => at)) - now,
    advance(time) {
      const end = now + time;
      for (let due; (due = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]); ) {
        timers = timers.filter((other) => other !== due);
        now = Math.max(now, due.at);
        due.action();
      }
      now = end;
    },
  };
}

/** As a browser's CloseEvent is, which Node 18 has not: its fields are not its own. */
class Closing {
  #end;

  constructor(code, reason) {
    this.#end = { code, reason };
  }

  get code() {
    return this.#end.code;
  }

  get reason() {
    return this.#end.reason;
  }
}

/** Sockets that a test plays the server of. */
export function handSockets() {
  const made = [];
  class HandSocket {
    frames = [];
    closed = false;

    constructor(url, subprotocol) {
      Object.assign(this, { url, subprotocol });
      made.push(this);
    }

    send(text) {
      this.frames.push(JSON.parse(text));
    }

    close() {
      this.closed = true;
    }

    say(frame) {
      this.saySo(JSON.stringify(frame));
    }

    saySo(data) {
      this.onmessage?.({ data });
    }

    /** Answers the last frame of a type. */
    answer(type, frame) {
      const asked = this.frames.findLast((sent) => sent.type === type);
      this.say({ ...frame, ref: asked.ref });
      return asked;
    }

    end(code = 1006, reason = '') {
      this.onclose?.(new Closing(code, reason));
    }
  }
  return { WebSocket: HandSocket, made, get last() { return made.at(-1); } };
}

/** Returns the cases of a file of docs/protocol/vectors. */
export async function vectors(name) {
  const url = new URL(`../vectors/${name}.json`, import.meta.url);
  if (url.protocol !== 'file:') return (await fetch(url)).json();
  const { readFile } = await import('node:fs/promises');
  return JSON.parse(await readFile(url));
}
