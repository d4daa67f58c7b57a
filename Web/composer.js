/** The composer: the field, its purpose, its drafts, and whether the user may write. */

import { shownTextOf } from './blocks.js';
import { canBeSeen, entered, everyoneIn, isReduced, mentionsIn } from './diffroom.js';
import { behind, inFrontOf } from './drafts.js';
import { typesOnScreen } from './elements.js';
import { loadEmojis } from './emojinames.js';
import { called } from './faces.js';
import { namesOf } from './files.js';
import { formatByKeys } from './formatkeys.js';
import { spoken, withoutMarks } from './markdown.js';
import { Offer } from './offer.js';
import { partsOf } from './parts.js';
import { ask } from './question.js';
import { Rights } from './rights.js';

const MOST_PARTS = 20; // messages as which a text is offered that is too long for one

const sizeOf = (text) => new TextEncoder().encode(text).length; // bytes

const tooLong = (size, limit) => `Too long by ${size - limit} bytes: ${limit} are the limit.`;

const labelOfReply = (message) => `Reply to ${called(message.author)}: ${withoutMarks((shownTextOf(message) ?? '').slice(0, 400)).slice(0, 100)}`;

export class Composer {
  #part;
  #text;
  #room;
  #name = ''; // of the room
  #drafts;
  /** @type {any} */
  #mode = {}; // {replyTo} or {edit}, an id, and the `label` of it; `mentions` and `everyone` that the text had
  #offer;
  #emojis;
  #aside; // the draft from before an edit
  #rights;

  /**
   * @param room `part`, which finds the elements; `chat()`, `me()`, `limits()` and `people()`, who is in the room; `lookup`, which finds others there; `readable(text)`, a text of the server's; the
   * `drafts`; `message(id)`, which fetches a message of the room; `files`, the Attachments; `onUp()` is called when the arrow leaves the field, `onSaid()` when a message was sent; `isCommand(text)` and
   * `onCommand(text)`, which performs it, and resolves to `sent`, `done` or `kept`, for what becomes of the text
   */
  constructor(room) {
    this.#room = room;
    this.#part = room.part;
    this.#text = room.part('text');
    this.#drafts = room.drafts;
    this.#rights = new Rights(room.part);
    this.#emojis = Offer.ofEmojis(room.part, loadEmojis);
    this.#offer = Offer.ofPeople(room.part, () => this.#callable, (...wanted) => this.#findOthers(...wanted));
    const text = this.#text;
    text.addEventListener('input', () => this.#typed());
    text.addEventListener('keydown', (event) => this.#pressed(event));
    formatByKeys(text);
    this.#part('composer').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#part('mode-cancel').addEventListener('click', () => this.#cancel());
    text.addEventListener('focus', () => (text.enterKeyHint = typesOnScreen() ? 'enter' : 'send'));
    // The draft is the same in all tabs. A browser may tell a tab of a change after the user has come to it and typed, or never.
    document.addEventListener('visibilitychange', () => document.hidden || this.load());
  }

  /** Goes to a room: to its draft, and to the user's rights there. */
  enter(name, standing) {
    if (this.#name) this.#room.chat()?.typing(this.#name, false);
    this.#name = name;
    this.#display(this.#kept);
    this.#room.files.enter(name);
    this.#rights.enter(name, standing);
  }

  /** The name of the room. */
  get name() {
    return this.#name;
  }

  /** Shows what the room is called. */
  call(label) {
    this.#text.placeholder = `Message ${label.length > 25 ? `${label.slice(0, 25)}…` : label}`;
  }

  // Drafts

  get #kept() {
    return this.#drafts.of(this.#name);
  }

  get #begun() {
    return { text: this.#text.value, mode: this.#mode, aside: this.#aside };
  }

  /** Shows the draft that is kept, if it is another one. It is not written again: that would undo what another tab has written since. */
  load() {
    const { text = '', mode = {}, aside } = this.#kept;
    if (!this.#name || JSON.stringify({ text, mode, aside }) === JSON.stringify(this.#begun)) return;
    this.#room.files.release(this.#name);
    this.#display({ text, mode, aside });
  }

  /** Changes the draft of a room that is not shown. */
  #change(room, change) {
    this.#drafts.write(room, change(this.#drafts.of(room)));
  }

  /** Keeps the draft. One that changes while it waits for its files waits for Enter again. */
  #keep() {
    this.#room.files.release(this.#name);
    this.#drafts.write(this.#name, this.#begun);
  }

  #begin(draft) {
    this.#display(draft);
    this.#keep();
  }

  /** @param {import('./drafts.js').Draft} draft */
  #display({ text = '', mode = {}, aside = undefined } = {}) {
    this.#text.value = text;
    this.#aside = aside;
    this.#offer.end();
    this.#emojis.end();
    this.#displayMode(mode);
    this.#grow();
    if (mode.label === 'Reply') this.#describeReply(mode.replyTo);
  }

  // Purpose

  /** Shows what a draft of another device answers, as soon as that is known. */
  async #describeReply(id) {
    const message = await this.#room.message(id).catch(() => {}); // without a connection it stays as it is
    if (!message || this.#mode.replyTo !== id || this.#mode.label !== 'Reply') return;
    this.#displayMode({ ...this.#mode, label: labelOfReply(message) });
    this.#drafts.reword(this.#name, this.#begun);
  }

  #displayMode(mode) {
    this.#mode = mode;
    this.#part('mode').hidden = !mode.label;
    this.#part('mode-text').textContent = mode.label ?? '';
    this.hint();
  }

  #setMode(mode) {
    this.#displayMode(mode);
    this.#keep();
  }

  focus() {
    this.#text.focus();
  }

  get hasFocus() {
    return this.#part('composer').contains(document.activeElement);
  }

  reply(message) {
    if (this.#mode.edit) this.#cancel();
    this.#setMode({ replyTo: message.id, label: labelOfReply(message) });
    this.focus();
  }

  /** Puts a message's text in front of what is written, with a `>` before each of its lines. */
  quote({ author, text }) {
    const lines = `${called(author)}:\n${text}`.split('\n').map((line) => `> ${line}`);
    this.#begin({ ...this.#begun, text: `${lines.join('\n')}\n${this.#text.value}` });
    this.focus();
  }

  /** Restores the draft after an edit was sent or given up. */
  edit({ id, text, mentions, everyone }) {
    const aside = this.#mode.edit ? this.#aside : this.#begun;
    this.#begin({ text, mode: { edit: id, label: 'Edit your message', mentions, everyone }, aside });
    this.focus();
  }

  /** Takes back a refused message, in front of the text written since; behind an edit, it waits for the end of that. */
  restore(message) {
    const { edit } = this.#mode;
    const refused = this.#room.files.restore(this.#name, message);
    const both = inFrontOf(edit ? this.#aside : this.#begun, refused);
    this.#begin(edit ? { ...this.#begun, aside: both } : both);
    if (edit) this.hint('The message is in the field again when the edit is done.');
    this.focus();
  }

  /** The same, of any room. */
  restoreIn(room, message) {
    if (room === this.#name) return this.restore(message);
    const refused = this.#room.files.restore(room, message);
    return this.#change(room, (draft) => ({ ...draft, ...inFrontOf({ text: '', mode: {}, ...draft }, refused) }));
  }

  /**
   * Gives the text of a refused edit back: into the field or, if the user writes something else by now, as soon as that is sent. A
   * message that is gone cannot be edited: its text becomes a new one's.
   */
  takeBack({ room, id, text, mentions, everyone }, { error, message }) {
    const isGone = error === 'not_found';
    const mode = isGone ? { mentions } : { edit: id, label: 'Edit your message', mentions, everyone };
    const change = (draft) => behind(draft, { text, mode });
    if (room !== this.#name) this.#change(room, change);
    else this.#begin(change(this.#begun));
    const where = room === this.#name && this.#text.value === text ? 'The text is in the field again.' : 'The text is in the field again when you have sent what you write.';
    this.hint(`${isGone ? 'The message that you edited is gone.' : `Not changed: ${message}`} ${room === this.#name ? where : 'The text is a draft in its room.'}`);
  }

  #cancel() {
    if (this.#mode.edit) this.#begin(this.#aside);
    else this.#setMode({});
    this.#tellTyping();
    this.focus();
  }

  /** Tells why something is refused, or not to be had. */
  hint(message) {
    this.#part('hint').hidden = !message;
    this.#part('hint').textContent = message ? this.#room.readable(message) : '';
    this.#part('hint').removeAttribute('data-done');
  }

  /** Tells that something is done. */
  note(message) {
    this.hint(message);
    this.#part('hint').dataset.done = '';
  }

  // Writing

  #typed() {
    this.#grow();
    this.#keep();
    this.#tellTyping();
  }

  #tellTyping() {
    if (this.mayWrite) this.#room.chat()?.typing(this.#name, this.#text.value.trim() !== '');
  }

  /** Sets the height in browsers without `field-sizing`. */
  #grow() {
    if (CSS.supports('field-sizing', 'content')) return;
    this.#text.style.height = 'auto';
    this.#text.style.height = `${this.#text.scrollHeight}px`;
  }

  #pressed(event) {
    // An Enter that confirms an input method's suggestion. Safari has ended the composition by then, and reports 229.
    if (event.isComposing || event.keyCode === 229) return;
    if (this.#offer.press(event) || this.#emojis.press(event)) return event.preventDefault();
    if (event.key === 'Enter' && !event.shiftKey && !typesOnScreen()) {
      event.preventDefault();
      this.#submit();
    } else if (event.key === 'ArrowUp' && !this.#text.value) {
      event.preventDefault();
      this.#room.onUp();
    } else if (event.key === 'Escape' && this.#giveUp()) event.preventDefault();
  }

  /** Ends the wait of a message for its files, else a reply or an edit. Returns whether there was one. */
  #giveUp() {
    const hasPurpose = Boolean(this.#mode.label);
    if (this.#room.files.release(this.#name)) return true;
    this.#cancel();
    return hasPurpose;
  }

  async #submit() {
    const [name, typed] = [this.#name, this.#text.value];
    if (this.#mode.edit || !this.#room.isCommand(typed)) return this.#submitText();
    const becomes = await this.#room.onCommand(typed);
    if (becomes === 'kept' || this.#name !== name || this.#text.value !== typed) return;
    if (becomes === 'sent') this.#submitText();
    else this.#text.value = '';
    this.#typed();
  }

  /** Sends a message that was not typed as it stands, with data of an application's kind. */
  send(text, data) {
    const most = this.#room.limits();
    const isTooLong = sizeOf(text) > (most.text ?? Infinity) || sizeOf(JSON.stringify(data)) > (most.data ?? Infinity);
    if (isTooLong) return this.hint('This is too long for one message.');
    return this.#sendParts([text], data);
  }

  /** The text as it is sent. An indent stays. */
  get #said() {
    return entered(this.#text.value).replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
  }

  /** Returns the message in the field, `{room, text, replyTo, mentions, everyone}`, to be sent at another time; nothing, and shows the reason, if it cannot. */
  compose() {
    const text = this.#said;
    const fault = this.#faultLater(text);
    this.hint(fault);
    return fault || !text ? undefined : { room: this.#name, text, replyTo: this.#mode.replyTo, ...this.#callsIn(text) };
  }

  #faultLater(text) {
    const limit = this.#room.limits().text ?? Infinity;
    if (this.#mode.edit) return 'An edit cannot be sent later.';
    if (this.#room.files.has(this.#name)) return 'Files cannot be sent later. Send them now, or remove them.';
    if (this.#room.isCommand(text)) return 'A command cannot be sent later.';
    if (this.#rights.bar && !this.#rights.isMuted) return this.#rights.bar; // a mute may be over then
    if (text && !canBeSeen(text)) return 'This message has no visible characters.';
    return sizeOf(text) > limit ? tooLong(sizeOf(text), limit) : '';
  }

  /** Empties the field: its message is to be sent at another time. */
  takeOut() {
    this.#finish(this.#name);
  }

  #submitText() {
    const typed = this.#text.value;
    const said = this.#said;
    const { files } = this.#room;
    const hasFiles = !this.#mode.edit && files.has(this.#name);
    if (!said && !hasFiles) return;
    if (hasFiles && files.fault(this.#name)) return this.hint(files.fault(this.#name));
    if (said && !canBeSeen(said)) return this.hint('This message has no visible characters.');
    const size = sizeOf(said);
    const limit = this.#room.limits().text ?? Infinity;
    if (size > limit) return void this.#offerParts(said, size, limit);
    this.#sendParts([said]);
    if (isReduced(typed)) this.note('Left out control characters, which no message can have.');
  }

  /** Sends the parts of a text, each as a message; the first one answers what the text does. Or the edit of one. */
  #sendParts(parts, data) {
    const { edit, replyTo } = this.#mode;
    if (!this.mayWrite || (!edit && this.#rights.wait > 0)) return this.hint(this.#rights.notice);
    const room = this.#name;
    const messages = parts.map((text, index) => ({ text, replyTo: index ? undefined : replyTo, ...this.#callsIn(text), data }));
    if (data) return this.#deliver(room, messages);
    if (!edit) return this.#room.files.whenThere(room, () => this.#deliver(room, messages, this.#room.files.take(room)));
    const [{ text, mentions, everyone }] = messages;
    this.#room.chat().edit(room, edit, text, { mentions, everyone }).catch(() => {}); // the text comes back: see `takeBack`
    return this.#finish(room);
  }

  /**
   * Sends messages to a room, which may have left the screen while they waited for their files. The first one has these.
   *
   * @param {{ id?: string, files?: any[] }} [attached]
   */
  #deliver(room, messages, attached = {}) {
    const { chat, onSaid } = this.#room;
    const { id, files } = attached;
    for (const [index, { text, ...more }] of messages.entries()) {
      chat().send(room, text || namesOf(files), { ...more, ...(files && !index && { id, files }) });
    }
    if (room !== this.#name) {
      this.#change(room, ({ aside = {} }) => aside);
      return this.#drafts.flush();
    }
    this.#finish(room);
    this.#rights.wrote();
    return onSaid();
  }

  /** Empties the field after its text was sent. */
  #finish(room) {
    const wasHere = this.hasFocus || document.activeElement === document.body;
    this.#begin(this.#aside);
    this.#drafts.flush();
    this.#room.chat().typing(room, false);
    if (wasHere) this.focus();
  }

  /** Returns whether files can be added to what is written, and tells the user why not. */
  mayAttach() {
    if (this.mayWrite && !this.#mode.edit) return true;
    this.hint(this.mayWrite ? 'An edit keeps the files of the message. Send another message with these.' : this.#rights.notice);
    return false;
  }

  /** Offers to send a text that is too long for one message as several; not where slow mode allows but one. */
  async #offerParts(said, size, limit) {
    const { isSlow } = this.#rights;
    const problem = tooLong(size, limit);
    const isOne = this.#mode.edit || !this.mayWrite || isSlow;
    const parts = isOne ? [] : partsOf(said, limit);
    if (isOne || parts.length > MOST_PARTS) return this.hint(problem);
    const [name, typed] = [this.#name, this.#text.value];
    const question = { title: `Send it as ${parts.length} messages?`, text: `It is too long for one, which has at most ${limit.toLocaleString()} bytes.`, no: 'Back', yes: `Send ${parts.length} messages` };
    const isWanted = await ask(question);
    if (this.#name !== name || this.#text.value !== typed) return undefined;
    if (isWanted) return this.#sendParts(parts);
    this.hint(problem);
    return this.focus();
  }

  /** Returns the people that a text mentions. A name in an edited text may be of a person who left. */
  #callsIn(text) {
    const people = [...this.#room.people().map(({ id }) => id), ...(this.#mode.mentions ?? [])];
    const mentions = mentionsIn(spoken(text), people);
    const everyone = (this.#rights.mayCallEveryone || this.#mode.everyone) && everyoneIn(spoken(text), people);
    return { mentions: mentions.length ? mentions : undefined, everyone: everyone || undefined };
  }

  /** The rows of those who can be mentioned, and at last everybody. */
  get #callable() {
    const people = this.#room.people();
    const isName = people.some(({ id }) => id === 'room');
    return this.#rights.mayCallEveryone && !isName ? [...people, { id: 'room', section: 'everybody' }] : people;
  }

  /** Calls `onFound` with the rows of people of a large room who have a beginning in their names; without arguments it ends that. */
  #findOthers(typed, most, onFound) {
    const { lookup, me } = this.#room;
    if (typed === undefined) return lookup.cancel();
    lookup.seek(typed, most, { onFound: ({ rows }) => onFound(rows.filter(({ id }) => id !== me())), onMiss: () => {} });
  }

  /** People have come to the room. */
  meet() {
    this.#offer.meet();
  }

  /** People are called otherwise. */
  renew() {
    this.#offer.renew();
  }

  // Rights

  /** Takes the user's rights in the room: see `Rights`. */
  stand(standing) {
    this.#rights.stand(standing);
  }

  /** Notes the time of the user's own last message in the room, by the server's clock. */
  said(time) {
    this.#rights.said(time);
  }

  get moderates() {
    return this.#rights.moderates;
  }

  get owns() {
    return this.#rights.owns;
  }

  get mayWrite() {
    return !this.#rights.bar;
  }
}
