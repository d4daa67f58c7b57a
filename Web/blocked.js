/** The users whom the user has blocked: the list of them, and the commands that change it. */

import { setBlocked, withBlocks } from './blocks.js';
import { listed } from './elements.js';
import { calledInFull } from './faces.js';
import { ask } from './question.js';

const LIST = 'me/blocked';
const LATE = 2_000; // ms by which the list may be later than the answer to a command
const EFFECT = 'They cannot reach you: no direct rooms, invitations or mentions. Their messages in other rooms are folded. They are not told.';

export class Blocked {
  /** Whether the server has such a list. An older one has none. */
  isOffered = false;
  #page;
  #server = []; // the rows as the server has them
  #done = []; // {user, on}: what was answered, and the list may not show yet
  #followers = [];

  /** @param page `chat()`; the `commands` that wait; and `hint(text)`, for refusals */
  constructor(page) {
    this.#page = page;
  }

  /** Follows the list with a client. It begins with the rows that `lists` has kept, and is kept there. */
  follow(chat, lists) {
    const onChange = ({ snapshot, changes }) => {
      if (changes.why !== 'held') lists.note(LIST, snapshot);
      this.#server = snapshot.sections.flatMap(({ rows }) => rows);
      this.#done = [];
      this.#offer(true);
    };
    chat.subscribe(LIST, { kept: lists.get(LIST), onChange, onError: ({ error }) => error === 'diverged' || this.#offer(false) });
  }

  #offer(isOffered) {
    this.isOffered = isOffered;
    this.changed();
  }

  /** Calls `act` now, and after each change of the rows or of the commands that wait. */
  onChange(act) {
    this.#followers.push(act);
    act();
  }

  /** Commands have begun or ended to wait. */
  changed() {
    setBlocked(this.rows.filter(({ isGoing }) => !isGoing).map(({ id }) => id));
    for (const act of this.#followers) act();
  }

  /** The rows, as they are when the commands are done that wait; the last one to be blocked is the last. */
  get rows() {
    return withBlocks(this.#server, [...this.#done, ...this.#page.commands.blocks]);
  }

  has(user) {
    return this.rows.some(({ id, isGoing }) => id === user && !isGoing);
  }

  /** The action on a person, as `[act, label]`; none if the server has no such list. */
  choicesFor(user) {
    if (!this.isOffered) return [];
    return [this.has(user) ? ['unblock', 'Unblock'] : ['block', 'Block…']];
  }

  // Commands

  /** Blocks a user, after a question. Resolves to whether the server has done it. */
  async block(user) {
    return (await ask({ title: `Block ${calledInFull(user)}?`, text: EFFECT, no: 'Cancel', yes: 'Block' })) && this.set(user, true);
  }

  unblock(user) {
    return this.set(user, false);
  }

  /** Sends a command. Its effect shows at once, and goes if the server refuses it: see `refused`. */
  async set(user, on) {
    try {
      await this.#page.chat().block(user, on);
    } catch {
      return false;
    }
    const effect = { user, on };
    this.#done.push(effect);
    setTimeout(() => this.#forget(effect), LATE);
    this.changed();
    return true;
  }

  #forget(effect) {
    if (!this.#done.includes(effect)) return;
    this.#done = this.#done.filter((other) => other !== effect);
    this.changed();
  }

  /** A command was refused, of this page or of an earlier one. */
  refused({ user, on }, { message }) {
    this.#page.hint(`${calledInFull(user)} is not ${on ? 'blocked' : 'unblocked'}: ${message}`);
  }

  /** Asks to unblock those of these people who are blocked, because the user wants to reach them. Resolves to whether none of them is blocked any more. */
  async askToUnblock(people) {
    const those = people.filter((user) => this.has(user));
    if (!those.length) return true;
    const whom = listed(those.map(calledInFull)).join('');
    const text = `You have blocked ${those.length > 1 ? 'these people' : 'this person'}, and do not see what they write to you.`;
    if (!(await ask({ title: `Unblock ${whom}?`, text, no: 'Cancel', yes: 'Unblock' }))) return false;
    const done = await Promise.all(those.map((user) => this.unblock(user)));
    return done.every(Boolean);
  }
}
