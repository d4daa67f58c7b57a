/** The thread beside the room that is shown: the message that it answers, the replies to it, a composer of its own, and the button that follows it. */

import { Actions } from './actions.js';
import { Attachments } from './attachments.js';
import { Composer } from './composer.js';
import { $, partsOf, typesOnScreen } from './elements.js';
import { threadRoot } from './diffroom.js';
import { putEmojis } from './emojipicker.js';
import { FollowButton } from './followbutton.js';
import { labelOf } from './labels.js';
import { OpenRooms } from './openrooms.js';
import { showTyping } from './people.js';
import { ThreadRoot } from './threadroot.js';
import { showNewer } from './totals.js';

const part = partsOf('thread-');
const COVERING = matchMedia('(max-width: 760px)'); // where the thread stands over the room
const GONE = 'The message of this thread was deleted. You cannot reply to it any more.';
const NO_LISTS = { get() {}, note() {}, dropRoom() {} };

/** Copies the elements of the room that a thread has, too: their ids get a prefix. */
function copyParts() {
  for (const name of ['drop-files', 'day', 'typing', 'composer']) {
    const copy = /** @type {HTMLElement} */ ($(name).cloneNode(true));
    for (const node of copy.querySelectorAll('[data-room]')) node.remove();
    for (const node of [copy, ...copy.querySelectorAll('[id]')]) node.id = part.prefix + node.id;
    for (const node of copy.querySelectorAll('[aria-controls]')) node.setAttribute('aria-controls', part.prefix + node.getAttribute('aria-controls'));
    $(name === 'day' ? 'thread-over' : 'thread').append(copy);
  }
  part('composer').inert = false;
  Object.assign(part('text'), { placeholder: 'Reply', ariaLabel: 'Reply' });
}

/** Returns those who have a row in a list of people. */
const rowsOf = (snapshot) => (snapshot?.sections ?? []).flatMap(({ rows }) => rows);

/** Closes what may be about a message of the thread: Back works behind it, too. */
function closeQuestions() {
  for (const dialog of /** @type {NodeListOf<HTMLDialogElement>} */ (document.querySelectorAll('dialog[data-of=room]'))) dialog.close();
  for (const popover of ['message-menu', 'picker', 'card']) $(popover).hidePopover();
}

export class ThreadPane {
  composer;
  #page;
  #threads;
  #shown; // the conversation of the replies; none while the pane is closed
  #files;
  #actions;
  #root;
  #button;
  #standing;
  #isMissed = false; // whether the server does not let the user read it

  /**
   * @param page the `conversations`, the page of those of rooms; `here()`, the room that is shown; `about(room)`; `chat()`, `me()`, `limits()`, `tab`, `drafts`, `people()`,
   * `lookup()`, `readable(text)`, `isCommand(text)` and `onCommand(text, composer)`, for its composer; `menu`, `lightbox`, `picker`, `onForward(row)` and `onUnblock(user)`, for its
   * actions; `listen(node)`, for the actions on the message that it answers; `followed`, the threads that the user follows, the `commands` that wait, and
   * `onUnread(thread, row)`; `offers`, to schedule a reply and to be reminded of one; `onShow()` when another thread is shown; and `onClose(room, id)` when the user closes it: of the message that it answers
   */
  constructor(page) {
    this.#page = page;
    copyParts();
    this.#threads = new OpenRooms(this.#conversationPage());
    this.#files = new Attachments({ part, chat: page.chat, mayAdd: () => this.composer.mayAttach(), hint: (text) => this.composer.hint(text), focus: () => this.composer.focus() });
    this.composer = this.#makeComposer();
    this.#actions = this.#makeActions();
    page.offers.put(part, this.composer);
    this.#root = new ThreadRoot({ ...page, onGone: () => this.#stand() });
    this.#button = new FollowButton({ ...page, name: () => this.name, mayFollow: () => !this.#root.isGone && !this.#isMissed, hint: (text) => this.composer.hint(text) });
    page.listen($('thread-root'));
    putEmojis(part('text'), part('emojis'), page.picker);
    $('thread-close').addEventListener('click', () => this.close());
    $('thread').addEventListener('keydown', (event) => event.key === 'Escape' && !event.defaultPrevented && this.close());
    part('newer').addEventListener('click', () => {
      this.#shown.view.toEnd();
      this.composer.focus();
    });
  }

  #conversationPage() {
    return {
      ...this.#page.conversations,
      part,
      kept: this.#page.tab, // or this browser would keep a mark of each thread that was ever read
      lists: NO_LISTS,
      rooms: this.#page.followed,
      onUnseen: (rows, isFar) => showNewer(part('newer'), rows, isFar),
      onPeople: ({ snapshot }) => this.#meet(rowsOf(snapshot)),
      onMiss: () => this.#meet([]),
      onStanding() {}, // that of the room holds
      onSaid: (time) => this.composer.said(time),
      onMessages() {},
      onCome() {},
      onError: (error) => this.#miss(error),
      above: () => this.#root.time,
      hint: (text) => this.composer.hint(text),
    };
  }

  #makeComposer() {
    const { me, chat, limits, readable, people, lookup, drafts, isCommand, onCommand } = this.#page;
    return new Composer({
      part, files: this.#files, drafts, me, chat, limits, readable, people, lookup: lookup(), isCommand,
      message: async (id) => this.#shown.fetch(id),
      onUp: () => this.#actions.select(),
      onCommand: (text) => onCommand(text, this.composer),
      onSaid: () => {
        this.#shown.unread.said();
        this.#shown.view.toEnd();
      },
    });
  }

  #makeActions() {
    const { me, chat, menu, lightbox, picker, followed, offers, onForward, onUnblock, onUnread } = this.#page;
    const shown = () => this.#shown;
    return new Actions({
      part, me, chat, menu, lightbox, picker, offers, onForward, onUnblock,
      composer: this.composer,
      list: () => shown().list,
      isMember: () => followed.isMember(shown().name),
      onUnread: (row) => onUnread(shown().name, row),
      pins: { mayPin: false, isPinned: () => false },
      get name() {
        return shown().name;
      },
      get view() {
        return shown().view;
      },
    });
  }

  // Opening and closing

  /** The name of the thread that is shown, if there is one. */
  get name() {
    return this.#shown?.name;
  }

  /** The conversation that is shown, if there is one. */
  get shown() {
    return this.#shown;
  }

  get isCovering() {
    return Boolean(this.#shown) && COVERING.matches;
  }

  /** Returns the conversation of a thread that was shown lately. */
  get(name) {
    return this.#threads.get(name);
  }

  get all() {
    return this.#threads.all;
  }

  /** Shows a thread of the room that is shown; `linked` is the id of a reply to go to. */
  open(name, linked) {
    if (name !== this.name) this.#show(name, linked);
    if (linked) this.seek(linked);
  }

  #show(name, linked) {
    this.hide();
    this.#isMissed = false;
    this.#shown = this.#threads.open(name, linked);
    $('thread').hidden = false;
    document.body.toggleAttribute('data-thread', true);
    this.call();
    this.composer.enter(name, this.#standing);
    this.#shown.show();
    this.#root.show(threadRoot(name).id);
    this.#page.onShow();
  }

  /** Brings the reader to a reply. */
  seek(id) {
    this.#shown.seek(id);
  }

  /** Brings the focus to the composer; on a phone, where that would bring the keyboard up, to the replies. */
  focus() {
    if (typesOnScreen()) part('scroller').focus({ preventScroll: true });
    else this.composer.focus();
  }

  /** Follows the thread on the first connection. */
  follow() {
    this.#shown?.follow();
  }

  /** Closes the pane because the user wants that. */
  close() {
    const { room, id } = threadRoot(this.name ?? '') ?? {};
    if (room) this.#page.onClose(room, id);
  }

  /** Closes the pane because something else is to be seen. */
  hide() {
    if (!this.#shown) return;
    closeQuestions();
    this.#page.drafts.flush();
    this.#shown.leave();
    this.#shown = undefined;
    this.#root.end();
    part('scroller').replaceChildren();
    part('typing').replaceChildren();
    this.composer.enter('', undefined);
    this.showFollowing();
    $('thread').hidden = true;
    document.body.toggleAttribute('data-thread', false);
    $('room').dispatchEvent(new Event('withdraw')); // the room may have been behind it
  }

  /** Closes the threads of a room that the user leaves. */
  forget(room) {
    for (const { name } of this.all) if (threadRoot(name).room === room) this.#threads.forget(name);
  }

  // News

  /** The messages of the room have changed. */
  renew() {
    this.#root.draw();
  }

  /** Shows what waits to be done with the message that the thread answers. */
  mark(room, id) {
    if (room === this.#page.here()?.name) this.#root.mark(id);
  }

  /** The rows of the threads that the user follows have changed. */
  renewRows() {
    this.#shown?.land();
    this.showFollowing();
  }

  /** Other users are blocked, or another message is folded. */
  refold() {
    for (const { view } of this.all) view.refold();
    this.#root.refold();
    if (this.#shown) showTyping(part('typing'), rowsOf(this.#shown.members?.snapshot()), this.#page.me());
  }

  showFollowing() {
    this.#button.show();
  }

  /** Ends following a thread, also one that is not shown. */
  unfollow(name) {
    return this.#button.change(name, false);
  }

  /** Shows what the room is called. */
  call() {
    if (this.#shown) $('thread-of').textContent = labelOf(this.#page.about(threadRoot(this.name).room));
  }

  #meet(people) {
    showTyping(part('typing'), people, this.#page.me());
    this.#shown.view.readBy(people);
  }

  limit(limits) {
    this.#files.limit(limits);
  }

  /** The page goes, or is about to. */
  keep() {
    this.#shown?.keep();
  }

  /** The connection is lost: what comes next is new. */
  leave() {
    this.#shown?.unread.leave();
  }

  // Rights

  /** Takes the user's rights, which are those in the room. Once they may read that again, they may read the thread. */
  stand(standing) {
    this.#standing = standing;
    if (this.#shown && this.#isMissed) this.#shown.rejoin();
    this.#isMissed = false;
    this.#stand();
  }

  #stand() {
    if (!this.#shown) return;
    const rights = this.#standing ?? { role: 'write' };
    if (this.#root.isGone) this.composer.stand({ ...rights, closed: GONE });
    else this.composer.stand(this.#isMissed ? { role: 'none' } : rights);
    this.showFollowing();
  }

  /** The server does not let the user read the thread, or no longer. */
  #miss({ error, message }) {
    if (error === 'diverged') return;
    this.#isMissed = true;
    this.#stand();
    this.composer.hint(message);
  }
}
