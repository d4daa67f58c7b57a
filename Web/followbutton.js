/** The button above the replies that follows the thread or unfollows it. */

import { $ } from './elements.js';

const LATE = 2_000; // ms by which the list may be later than the answer to a command

export class FollowButton {
  #page;
  #chosen = new Map(); // thread → the user's choice, until the list shows it

  /**
   * @param page `chat()`; `name()`, the thread that is shown; `followed`, the list of the threads; the `commands` that wait; `mayFollow()`, whether the thread can
   * have new followers; and `hint(text)`, which shows a refusal
   */
  constructor(page) {
    this.#page = page;
    $('thread-follow').addEventListener('click', () => this.#toggle());
  }

  /** Returns the user's choice if it is unanswered, else the state in the list. */
  #isFollowing(name) {
    const { commands, followed } = this.#page;
    const waiting = commands.of(name).findLast((method) => method !== 'set');
    return this.#chosen.get(name) ?? (waiting ? waiting === 'join' : followed.isMember(name));
  }

  /** Shows whether the user follows the thread. An older server has no followers. */
  show() {
    const { commands, followed, mayFollow, name } = this.#page;
    const thread = name();
    const isFollowing = Boolean(thread) && this.#isFollowing(thread);
    if (thread && followed.isUnknown(thread)) followed.completeRows();
    const button = $('thread-follow');
    button.hidden = !thread || !followed.hasList || followed.isUnknown(thread) || !(isFollowing || mayFollow());
    button.ariaPressed = String(isFollowing);
    button.textContent = isFollowing ? 'Following' : 'Follow';
    button.title = isFollowing ? 'Remove this thread from your threads' : 'Count the unread replies among your threads';
    button.toggleAttribute('data-changing', Boolean(thread) && commands.of(thread).length > 0);
  }

  #toggle() {
    const name = this.#page.name();
    return this.change(name, !this.#isFollowing(name));
  }

  /** Follows a thread or unfollows it. The button shows the choice at once, and takes it back if the server refuses. */
  async change(name, isFollowing) {
    const { chat, hint } = this.#page;
    this.#chosen.set(name, isFollowing);
    const done = isFollowing ? chat().join(name) : chat().leave(name);
    this.show();
    try {
      await done;
      setTimeout(() => this.#forget(name, isFollowing), LATE);
    } catch ({ message }) {
      this.#forget(name, isFollowing);
      hint(message);
    }
  }

  #forget(name, isFollowing) {
    if (this.#chosen.get(name) !== isFollowing) return;
    this.#chosen.delete(name);
    this.show();
  }
}
