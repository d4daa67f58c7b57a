/** The commands without a final answer. */

import { listOf, textBytes } from './identifiers.js';
import { FINAL, jitter, LOST, passes, refusal } from './requests.js';

const STATING = new Set(['join', 'leave', 'settings']);

/** Returns the subject of a command that states a result: a room, the id of a scheduled message or reminder, or a user who is blocked. */
const statedBy = ({ type, room, id, user }) => (STATING.has(type) ? room : { later: id, block: `block ${user}` }[type]);

/** Whether a command waits for the answer to one before it: of those that state a result about the same the last one counts. */
function follows({ frame }, stated) {
  const subject = statedBy(frame);
  return subject !== undefined && stated.size === stated.add(subject).size;
}

/** The commands without a final answer, in order. They outlive connections. */
export function outbox(context, changed) {
  const entries = new Map();
  const outcomes = outcomesOf(entries, changed);
  const flush = sender(context, entries, outcomes);

  function add(key, frame, row) {
    const promise = new Promise((resolve, reject) => entries.set(key, { key, frame, row, resolve, reject }));
    promise.catch(() => {}); // a refused message reports it in its pending row
    flush();
    changed({ frame, row });
    return promise;
  }

  /** Repeats everything after a reconnect; the server knows a repeat by its id. */
  function repeat() {
    for (const entry of entries.values()) entry.sent = false;
    flush();
  }

  return { add, flush, repeat, ...outcomes };
}

/** Returns a function that sends those of the commands that can be sent now. It also calls that after each answer. */
function sender({ env, client, link }, entries, { succeed, refuse }) {
  const soonest = new Map(); // room → when its commands may be sent again, so that none overtakes one that must wait
  let underWay = 0;
  let isWary = false; // a command has ended the connection, so they go one at a time until it is found

  function flush() {
    const here = link.online();
    if (!here) return;
    const [{ text: limit }, stated] = [client.welcome.limits, new Set()];
    for (const entry of entries.values()) {
      if (!here.hasRoom() || (isWary && underWay)) return;
      if (env.now() < soonest.get(entry.frame.room) || follows(entry, stated) || entry.sent || entry.row?.error) continue;
      const isAlone = isWary;
      entry.sent = ++underWay;
      sendCommand(here, limit, entry.frame, (answer) => handle(entry, answer, isAlone));
    }
    isWary = false;
  }

  function handle(entry, answer, isAlone) {
    const { type, code, error, retryAfter } = answer;
    underWay--;
    if (type === 'ok') succeed(entry, answer);
    else if (isAlone && FINAL.has(code)) refuse(entry, { error: 'too_large', reason: 'frame', message: `connection lost: ${code}` });
    else if (type !== LOST && !passes(answer)) refuse(entry, answer);
    else {
      entry.sent = false;
      isWary ||= FINAL.has(code);
      if (error) pause(entry.frame.room, jitter(env, 0, retryAfter));
    }
    flush();
  }

  function pause(room, delay) {
    soonest.set(room, env.now() + delay);
    env.after(delay, flush);
  }

  return flush;
}

/** Sends a command, unless its text is longer than the server allows: then that is its answer. */
function sendCommand(here, limit, frame, handle) {
  const size = textBytes(frame.text).length;
  if (size > limit) handle({ error: 'too_large', reason: 'too_long', field: 'text', message: `text: has ${size} bytes, at most ${limit} are taken` });
  else here.enqueue(frame, handle);
}

/** The outcomes of commands. A message is kept until its list shows it. */
const outcomesOf = (entries, changed) => ({
  succeed(entry, { list, revision }) {
    entry.resolve({ id: entry.frame.id, list, revision });
    entry.revision = revision;
    // A message stays pending until its list has reached its revision.
    if (!entry.row) entries.delete(entry.key);
    changed(entry);
  },

  refuse(entry, answer) {
    const { error, reason, field, message } = answer;
    entry.reject(refusal(answer));
    if (entry.row) entry.row = { ...entry.row, error, ...(reason && { reason }), ...(field && { field }), message };
    else entries.delete(entry.key);
    changed(entry);
  },

  /** Ends the pending state of messages that the list shows. */
  confirm(list, inserted, revision) {
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
