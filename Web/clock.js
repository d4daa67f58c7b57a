/**
 * The server's clock, which may be an hour from this browser's. Rows have its times, so only what is learnt from rows tells how long
 * ago something was. Spans are measured with `performance.now()`, which does not jump.
 */

import { storage } from './storage.js';

const kept = storage('localStorage'); // for the next page: what is there then may be old
/** @type {{ act: () => void, timer: number | undefined }[]} */
const awaited = []; // what is done when a day begins
let offset = Number(kept.get('clock')) || 0; // of the server's clock from this browser's, in milliseconds

/** Returns the server's time, as far as it is known. */
export const serverNow = () => serverTime(Date.now());

/** Returns the server's time at a time of this browser's clock. */
export const serverTime = (time) => time + offset;

/** Acts when a day begins, by the server's clock and in this browser's time zone. */
export function onDayBegin(act) {
  const waiting = { act, timer: undefined };
  awaited.push(waiting);
  awaitDay(waiting);
}

function awaitDay(waiting) {
  const now = new Date(serverNow());
  const next = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  clearTimeout(waiting.timer);
  waiting.timer = setTimeout(() => {
    waiting.act();
    awaitDay(waiting);
  }, next.getTime() - now.getTime() + 1);
}

/** Learns from a row that has just come: the server's clock has passed its time. */
export function learnTime(time) {
  if (time > serverNow()) learn(time - Date.now());
}

/** Learns from a message that was sent at a time of this browser's clock: the server's clock had not passed its time before. */
export function learnSent(time, sentAt) {
  if (time < serverTime(sentAt)) learn(time - sentAt);
  learnTime(time);
}

/** Learns the server's time as it has just said it. */
export function learnNow(time) {
  learn(time - Date.now());
}

function learn(found) {
  offset = found;
  for (const waiting of awaited) awaitDay(waiting); // which begins at another time
  kept.set('clock', String(found));
}
