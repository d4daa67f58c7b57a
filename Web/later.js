/** The user's scheduled messages and reminders: the list of them, and the commands that change it. */

import { serverNow } from './clock.js';
import { everyoneIn, mentionsIn, uuid } from './diffroom.js';
import { becomeDue, contentOf, withCommands } from './laterrows.js';
import { spoken } from './markdown.js';

const LIST = 'me/later';
const GONE = 'The message was sent, or cancelled on another device.';
const LATE = 2_000; // ms by which the list may be later than the answer to a command

export class Later {
  /** Whether the server has such a list. An older one has none. */
  isOffered = false;
  #page;
  #server = []; // the rows as the server has them
  #isCurrent = false; // whether they are as of now
  #done = []; // {id, content}: what was answered, and the list may not show yet
  #followers = [];

  /**
   * @param page `chat()`; the `commands` that wait; `people(room)`, the names of those who are known there; `onReturn(room, message, hint)` when a message was not
   * scheduled, or not changed: its text goes back into the field; `hint(text)` for another refusal; and `onDue(rows)`, with those that have become due
   */
  constructor(page) {
    this.#page = page;
  }

  /** Follows the list with a client. It begins with the rows that `lists` has kept, and is kept there. */
  follow(chat, lists) {
    const onChange = ({ snapshot, changes }) => {
      if (changes.why !== 'held') lists.note(LIST, snapshot);
      this.#take(snapshot, changes.why !== 'held');
    };
    chat.subscribe(LIST, { kept: lists.get(LIST), onChange, onError: ({ error }) => error === 'diverged' || this.#offer(false) });
  }

  #take({ sections }, isCurrent) {
    const before = this.#server;
    this.#server = sections.flatMap(({ rows }) => rows);
    this.#done = [];
    const due = this.#isCurrent ? becomeDue(before, this.#server) : [];
    this.#isCurrent ||= isCurrent;
    this.#offer(true);
    if (due.length) this.#page.onDue(due);
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
    for (const act of this.#followers) act();
  }

  /** The rows, as they are when the commands are done that wait. */
  get rows() {
    return withCommands(this.#server, [...this.#done, ...this.#page.commands.later], serverNow());
  }

  get(id) {
    return this.rows.find((row) => row.id === id);
  }

  // Commands

  /** Schedules a message, `{room, at, text, replyTo, mentions, everyone}`. Resolves to whether the server has it. */
  send(message) {
    return this.#perform(uuid(), message, { returns: true });
  }

  remind(room, message, at) {
    return this.#perform(uuid(), { room, at, message });
  }

  /** Gives a row another time. Resolves to whether the server has it. */
  async move(row, at) {
    if (this.get(row.id)) return this.#perform(row.id, { ...contentOf(row), at });
    this.#page.hint(GONE);
    return false;
  }

  /** Gives a message another text and time. If it was sent meanwhile, the text goes into the field. */
  async edit(row, text, at) {
    const people = [...this.#page.people(row.room), ...(row.mentions ?? [])];
    const mentions = mentionsIn(spoken(text), people);
    const everyone = row.everyone && everyoneIn(spoken(text), people);
    const content = { ...contentOf(row), text, at, mentions: mentions.length ? mentions : undefined, everyone: everyone || undefined };
    if (this.get(row.id)) return this.#perform(row.id, content, { returns: text !== row.text });
    this.#page.onReturn(row.room, content, `The text is in the field again. ${GONE}`);
    return false;
  }

  cancel({ id, room, message }) {
    return this.#perform(id, null, message === undefined ? { room } : {});
  }

  /** Sends a command. Its effect shows at once, and goes if the server refuses it: see `refused`. */
  async #perform(id, content, options = {}) {
    try {
      await this.#page.chat().later(id, content, options);
    } catch {
      return false;
    }
    const effect = { id, content };
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

  /** A command was refused, of this page or of an earlier one, which may have sent it before. `room` is that of a message to be cancelled. */
  refused({ id, content, returns, room }, { error, message }) {
    const isLate = error === 'not_found'; // it was sent, or is being sent, or was cancelled
    if (!content && isLate) return room && this.#tellIfSent(room, id);
    const why = isLate ? 'it was sent before' : message;
    if (content?.text === undefined || !returns) return this.#page.hint(`${content ? 'Not changed' : 'Not cancelled'}: ${why}`);
    return this.#page.onReturn(content.room, content, `The text is in the field again. It is not scheduled: ${why}`);
  }

  /** A cancel came too late, or was a repeat. */
  async #tellIfSent(room, id) {
    const sent = await this.#page.chat().fetch(room, id).catch(() => {});
    if (sent) this.#page.hint('It is too late: the message was sent.');
  }
}
