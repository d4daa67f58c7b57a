/** The actions on a message, by pointer and by keyboard. */

import { isFolded, shownTextOf, unfold } from './blocks.js';
import { $, keyOf } from './elements.js';
import { shownAs } from './files.js';
import { pollOf } from './polls.js';
import { cornerOf, placeFor } from './popupmenu.js';
import { ask } from './question.js';
import { addressOf } from './router.js';

const UNDO_TIME = 6_000; // ms in which a deletion can be taken back

/** The menu of a message, in its order. */
const MENU = { show: 'Show', reply: 'Reply', thread: 'Reply in thread', quote: 'Quote', forward: 'Forward', react: 'React', edit: 'Edit', stop: 'Stop', copy: 'Copy text', link: 'Copy link', pin: 'Pin', unpin: 'Unpin', unread: 'Mark unread from here', remind: 'Remind me…', unblock: 'Unblock the author', delete: 'Delete' };
const KEYS = { r: 'reply', t: 'thread', e: 'edit', d: 'delete', Delete: 'delete', '+': 'react', u: 'unread' };
const WITH_DAMAGED = new Set(['link', 'unread', 'delete', 'menu']); // what can be done with a damaged message
const WITH_FOLDED = new Set([...WITH_DAMAGED, 'show', 'unblock']); // with one of a blocked user, which is not shown
const STEPS = { ArrowUp: -1, ArrowDown: 1 };

const rowOf = (target) => target.closest?.('.row');

export class Actions {
  #room;
  #part;
  #scroller;
  #tools = $('tools');
  #undo; // the action to finish if it is not taken back in time
  #isSelecting = false;

  /** @param room `part`, which finds the elements; the `menu` of messages and the `lightbox`; its `name`, `me()`, `chat()`, `list()`, `view`, `composer`, `pins` and `picker` of emoji; `isMember()`; `onUnread(row)`; `offers`, to be reminded of a message; `onUnblock(user)`; and in a room `onThread(row)`, and `onFront()` before its composer or messages are to be seen */
  constructor(room) {
    this.#room = room;
    this.#part = room.part;
    this.#scroller = room.part('scroller');
    const scroller = this.#scroller;
    this.listen(scroller);
    scroller.addEventListener('pointerdown', () => this.#select(false));
    scroller.addEventListener('keydown', (event) => this.#pressed(event));
    room.part('text').addEventListener('focus', () => this.#select(false));
    room.part('selecting-end').addEventListener('click', () => room.composer.focus());
    room.part('undo-button').addEventListener('click', () => this.#undo?.take());
    addEventListener('pagehide', () => this.#undo?.finish());
  }

  /** Listens for what the pointer does with messages in an element. */
  listen(node) {
    node.addEventListener('pointerover', ({ target, pointerType }) => rowOf(target) && pointerType === 'mouse' && this.#showTools(rowOf(target)));
    node.addEventListener('focusin', ({ target }) => rowOf(target) && this.#showTools(rowOf(target)));
    node.addEventListener('click', ({ target }) => this.#clicked(target));
    node.addEventListener('contextmenu', (event) => this.#asked(event));
  }

  // Actions

  #acts = {
    reply: (row) => this.#room.composer.mayWrite && this.#toFront().composer.reply(row),
    thread: (row) => this.#mayOpenThread(row) && this.#openThread(row),
    edit: (row) => this.#mayEdit(row) && this.#toFront().composer.edit(row),
    delete: (row) => this.#mayDelete(row) && this.#ask(row),
    react: (row, node) => this.#room.composer.mayWrite && this.#pick(row, node),
    unread: (row) => this.#mayMark(row) && this.#room.onUnread(row),
    remind: ({ id: message }, node, { point }) => this.#room.offers.remind({ room: this.#room.name, message, composer: this.#room.composer }, node, point),
    quote: (row) => this.#room.composer.mayWrite && this.#toFront().composer.quote(row),
    forward: (row) => this.#room.onForward(row),
    copy: ({ text }) => this.#copy(text, 'The text is copied.'),
    link: ({ id }) => this.#copy(this.#linkTo(id), 'The link is copied.'),
    menu: (row, node) => this.#openMenu(row, node, cornerOf(this.#tools)),
    pin: ({ id }) => this.#room.pins.pin(id),
    unpin: ({ id }) => this.#room.pins.unpin(id),
    quoted: ({ replyTo }) => this.goTo(replyTo),
    stop: ({ id }) => this.#stop(id),
    fold: ({ id }) => this.#room.view.fold(id),
    show: ({ id }, node) => {
      node.focus({ preventScroll: true }); // the button goes
      unfold(id);
    },
    unblock: ({ author }) => this.#room.onUnblock(author),
    view: (row, node, { of }) => this.#enlarge(row, of),
    load: (row, node, { of }) => this.#room.view.files.retry(node.querySelector(`[data-file="${CSS.escape(of)}"]`)),
    chip: (row, node, { emoji }) => this.#room.composer.mayWrite && this.#toggle(row, emoji),
    again: (row) => {
      this.#room.chat().discard(row.id);
      this.#room.composer.restore(row);
    },
    discard: ({ id, text, replyTo, mentions, everyone, data, files }) => {
      const { chat, name } = this.#room;
      chat().discard(id);
      this.#offer('Discarded.', () => chat().send(name, text, { replyTo, mentions, everyone, data, ...(files && { id, files }) }));
    },
  };

  #act(what, node, dataset = {}) {
    const { id } = node.dataset;
    const row = this.#room.list().get(id) ?? this.#room.list().snapshot().pending.find((row) => row.id === id);
    if (!row) return;
    const isPossible = isFolded(row) ? WITH_FOLDED.has(what) : !row.damaged || WITH_DAMAGED.has(what);
    if (isPossible) this.#acts[what](row, node, dataset);
  }

  /** Goes to a message of the room. */
  async goTo(id) {
    if (!(await this.#toFront().view.goTo({ id }))) this.#room.composer.hint('That message is gone, or the server cannot be reached.');
  }

  /** A poll says in its data what its text says, and people have voted for that. Of a message that grows the writer goes on behind its text. */
  #mayEdit(row) {
    return row.author === this.#room.me() && this.#room.composer.mayWrite && !pollOf(row) && !row.open;
  }

  /** Brings the conversation to the front: a thread may be over the room, and show a message of it. */
  #toFront() {
    this.#room.onFront?.();
    return this.#room;
  }

  /** A thread has no threads. */
  #mayOpenThread({ thread, sort }) {
    return Boolean(this.#room.onThread) && sort !== undefined && Boolean(thread || this.#room.composer.mayWrite);
  }

  #openThread(row) {
    this.#select(false);
    this.#room.onThread(row);
  }

  /** Only what the server has can be marked as unread. */
  #mayMark({ sort }) {
    return sort !== undefined && this.#room.isMember();
  }

  /** The audit log names the author, whom a damaged message may not have. */
  #mayDelete({ author }) {
    return Boolean(author) && (author === this.#room.me() || this.#room.composer.moderates);
  }

  /** Its author may stop a message that grows, moderators, and those whom it mentions by name. */
  #mayStop({ open, author, mentions }) {
    const me = this.#room.me();
    return Boolean(open) && (author === me || mentions?.includes(me) || this.#room.composer.moderates);
  }

  /** A message that is on its way has no files at the server yet. */
  #enlarge({ id, sort, files }, of) {
    const pictures = files.filter(({ media }) => shownAs(media) === 'picture');
    if (sort !== undefined) this.#room.lightbox.open(id, pictures, pictures.findIndex((one) => one.id === of), this.#room.view.files);
  }

  /** Ends the growth of a message, as when its writer is gone. */
  #stop(id) {
    const { chat, name, composer } = this.#room;
    chat().closeMessage(name, id, { ended: 'stopped' }).catch(({ message }) => composer.hint(message));
  }

  #toggle({ id, reactions = [] }, emoji) {
    const { chat, name, me, composer } = this.#room;
    const on = !reactions.some((reaction) => reaction.emoji === emoji && reaction.users.includes(me()));
    chat().react(name, id, emoji, on).catch(({ message }) => composer.hint(message));
  }

  #clicked(target) {
    const node = rowOf(target);
    const button = target.closest('button');
    if (button?.dataset.act === 'code') this.#copy(button.parentNode.querySelector('code').textContent, 'The code is copied.');
    else if (node && button) this.#act(button.dataset.act, node, button.dataset);
  }

  /** Returns which actions the user may do with a message. */
  #rights(row) {
    const { mayWrite } = this.#room.composer;
    if (isFolded(row)) return { show: true, link: true, menu: true, unblock: true, delete: this.#mayDelete(row), unread: this.#mayMark(row) };
    if (row.damaged) return { link: true, menu: true, delete: this.#mayDelete(row), unread: this.#mayMark(row) };
    const { mayPin } = this.#room.pins;
    const isPinned = mayPin && this.#room.pins.isPinned(row.id);
    const isWhole = !row.open;
    const always = { pin: mayPin && !isPinned, unpin: isPinned, forward: isWhole, copy: isWhole, link: true, menu: true };
    return { ...always, stop: this.#mayStop(row), react: mayWrite, reply: mayWrite, thread: this.#mayOpenThread(row), quote: mayWrite && isWhole, edit: this.#mayEdit(row), delete: this.#mayDelete(row), unread: this.#mayMark(row), remind: row.sort !== undefined && this.#room.offers.isOffered };
  }

  #showTools(node) {
    const row = this.#room.list().get(node.dataset.id);
    if (!row || node.dataset.state) return;
    const may = this.#rights(row);
    for (const button of this.#tools.querySelectorAll('button')) button.hidden = !may[button.dataset.act];
    this.#tools.hidden = false;
    if (this.#tools.parentNode !== node) node.append(this.#tools);
  }

  // The menu of a message

  /** Opens the menu for the other button of the mouse, a finger that rests, and the key. The browser has its own of links and selected text. */
  #asked(event) {
    const node = rowOf(event.target);
    const row = node && this.#room.list().get(node.dataset.id);
    if (!row || event.target.closest('a, button, video, audio') || getSelection().toString()) return;
    event.preventDefault();
    this.#openMenu(row, node, placeFor(event, node));
  }

  #openMenu(row, node, point) {
    const may = this.#rights(row);
    const choices = Object.entries(MENU).filter(([act]) => may[act]);
    this.#room.menu.open({ label: 'Actions for the message', choices, onChoose: (act) => this.#act(act, node, { point }), opener: node }, point);
  }

  #linkTo(id) {
    return new URL('.', location.href).href + addressOf(this.#room.name, id);
  }

  async #copy(text, done) {
    const { composer } = this.#room;
    try {
      await navigator.clipboard.writeText(text); // which only a page over HTTPS or from this computer has
      composer.note(done);
    } catch {
      composer.hint('The browser does not let this page copy.');
    }
  }

  // Keyboard: while messages are selected, which the page shows, letters are commands; otherwise they are text.

  /** Begins to select messages, from the last one. */
  select() {
    const last = this.#room.view.edge('last');
    if (!last) return;
    this.#focus(last);
    this.#select(true);
  }

  #select(on) {
    this.#isSelecting = on;
    this.#part('selecting').hidden = !on;
    this.#scroller.toggleAttribute('data-selecting', on);
  }

  #focus(node) {
    node?.focus({ preventScroll: true });
    node?.scrollIntoView({ block: 'nearest' });
  }

  #pressed(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (key === 'Escape') this.#room.composer.focus();
    else if (this.#isSelecting) return this.#command(event);
    else if (target.closest('button, a, video, audio')) return;
    else if (key === 'Enter') this.select();
    else if (key === 'End') this.#room.view.toEnd(); // the browser's scrolling stops short when rows get their heights on its way
    else if (key.length === 1 && key !== ' ') return this.#room.composer.focus(); // the letter goes there
    else return;
    event.preventDefault();
  }

  #command(event) {
    const key = keyOf(event);
    const node = rowOf(event.target);
    const { view } = this.#room;
    if (key in STEPS) this.#walk(node, STEPS[key]);
    else if (key === 'Home') this.#focus(view.edge('first'));
    else if (key === 'End') this.#focus(view.edge('last'));
    else if (node && KEYS[key]) this.#act(KEYS[key], node);
    else return;
    event.preventDefault();
  }

  #walk(node, by) {
    const next = this.#room.view.walk(node?.dataset.id, by);
    if (next) this.#focus(next);
    else if (by > 0) this.#room.composer.focus();
  }

  // Reactions

  #pick(row, node) {
    node.dataset.picked = '';
    this.#room.picker.open({
      label: 'React',
      own: this.#room.chat().welcome?.emojis ?? [],
      anchor: node.contains(this.#tools) ? this.#tools : node,
      onPick: (emoji) => this.#toggle(this.#room.list().get(row.id) ?? row, emoji),
      onClose() {
        delete node.dataset.picked;
        node.focus({ preventScroll: true });
      },
    });
  }

  // Deletion: after a question, and delayed for as long as it can be taken back

  async #ask(row) {
    const { id } = row;
    if (await ask({ title: 'Delete this message?', text: shownTextOf(row).slice(0, 300), no: 'Keep it', yes: 'Delete' })) this.#delete(id);
  }

  #delete(id) {
    const { chat, name, view, composer } = this.#room;
    const mark = (on) => view.node(id)?.toggleAttribute('data-going', on);
    const finish = () => {
      mark(false);
      chat().delete(name, id).catch(({ error, message }) => error !== 'not_found' && composer.hint(message));
    };
    mark(true);
    this.#offer(chat().state === 'online' ? 'Deleted.' : 'Deleted as soon as you are online.', () => mark(false), finish);
  }

  /** Shows a notice with a button to take the action back; otherwise `finish` performs the action. */
  #offer(text, undo, finish = () => {}) {
    this.#undo?.finish();
    const close = (then) => () => {
      clearTimeout(timer);
      this.#undo = undefined;
      this.#part('undo').hidden = true;
      then();
    };
    this.#undo = { take: close(undo), finish: close(finish) };
    const timer = setTimeout(this.#undo.finish, UNDO_TIME);
    this.#part('undo-text').textContent = text;
    this.#part('undo').hidden = false;
  }
}
