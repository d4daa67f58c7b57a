/** The user's rights in the room or thread of a composer: whether they may write, and how long not, which is shown above the field. */

import { serverNow } from './clock.js';
import { clock, countDownIn, moment } from './elements.js';
import { kindOf } from './labels.js';

const DAY = 86_400_000; // ms
const LONGEST_TIMER = 2 ** 31 - 1; // ms

export class Rights {
  #part;
  #room = '';
  #standing = {};
  #saidAt = new Map(); // room → when the user's last message was, by `performance.now()`, and its `time` by the server's clock
  #timer;

  /** @param part finds the elements of the composer */
  constructor(part) {
    this.#part = part;
  }

  /** Goes to a room, and to the user's rights there. */
  enter(room, standing) {
    this.#room = room;
    this.stand(standing);
  }

  /**
   * Takes the user's rights; without them, the usual ones. `closed` says why nobody may write. `mutedUntil` is the end of a mute by `performance.now()`: the clock may
   * jump, and be another than the server's.
   */
  stand(standing = { role: 'write' }) {
    this.#standing = standing;
    this.#show();
  }

  /** Notes the time of the user's own last message in the room, by the server's clock. */
  said(time) {
    const last = this.#saidAt.get(this.#room);
    if (time <= last?.time) return;
    const at = performance.now() - Math.max(serverNow() - time, 0);
    this.#remember({ at: Math.max(at, last?.at ?? at), time });
  }

  /** Notes that the user has just sent a message to the room. */
  wrote() {
    this.#remember({ at: performance.now(), time: this.#saidAt.get(this.#room)?.time });
  }

  #remember(last) {
    this.#saidAt.set(this.#room, last);
    this.#show();
  }

  get moderates() {
    return this.#standing.role === 'moderate' || this.owns;
  }

  get owns() {
    return this.#standing.role === 'own';
  }

  get mayCallEveryone() {
    return this.moderates || (this.#standing.role === 'write' && kindOf(this.#room) !== 'open');
  }

  /** Why the user may not write; nothing if they may. */
  get bar() {
    const { role, readOnly, closed } = this.#standing;
    if (closed) return closed;
    if (role === 'none') return 'You cannot write here.';
    if (role === 'read') return 'You can read here, not write.';
    if (readOnly && !this.moderates) return 'The room is read-only: only moderators write.';
    if (this.isMuted && role !== 'own') return `You are muted until ${this.#muteEnd}.`;
    return undefined;
  }

  get isMuted() {
    return this.#mutedFor > 0;
  }

  get #mutedFor() {
    return (this.#standing.mutedUntil ?? 0) - performance.now();
  }

  get #muteEnd() {
    return (this.#mutedFor < DAY ? clock : moment).format(serverNow() + this.#mutedFor);
  }

  /** Whether slow mode holds for the user. */
  get isSlow() {
    return Boolean(this.#standing.slow) && !this.moderates;
  }

  /** The milliseconds until slow mode allows the next message. */
  get wait() {
    return this.isSlow ? (this.#saidAt.get(this.#room)?.at ?? -Infinity) + this.#standing.slow - performance.now() : 0;
  }

  /** The notice above the field; none with the usual rights. */
  get notice() {
    const { bar, isSlow } = this;
    if (bar || !isSlow) return bar;
    const wait = Math.ceil(this.wait / 1000);
    return wait > 0 ? `Slow mode: you can write again in ${wait} s.` : `Slow mode: one message each ${Math.ceil(this.#standing.slow / 1000)} s.`;
  }

  /** Shows the rights, and again when they change with time. */
  #show() {
    // Read before the text is shown: the end of a mute or of slow mode in between is shown next.
    const [muted, slow] = [this.#mutedFor, this.wait];
    const { bar, notice } = this;
    this.#part('standing').hidden = !notice;
    if (!bar && this.wait > 0) countDownIn(this.#part('standing'), 'Slow mode: you can write again', Math.ceil(this.wait / 1000));
    else this.#part('standing').textContent = notice ?? '';
    this.#part('composer').toggleAttribute('data-barred', Boolean(bar) || this.wait > 0);
    const role = this.#part('role'); // of which a thread has none
    if (role) role.textContent = { read: 'reader', moderate: 'moderator', own: 'owner' }[this.#standing.role] ?? '';
    clearTimeout(this.#timer);
    const wait = muted > 0 ? Math.ceil(muted) : slow % 1000 || Math.min(slow, 1000);
    if (wait > 0) this.#timer = setTimeout(() => this.#show(), Math.min(wait, LONGEST_TIMER));
  }
}
