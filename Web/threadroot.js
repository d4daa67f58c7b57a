/** The message that a thread answers, above the replies: as the room has it now. */

import { $, element } from './elements.js';
import { FileLinks } from './filelinks.js';
import { RowView } from './rows.js';

export class ThreadRoot {
  #page;
  #id; // none while no thread is shown
  #view;
  #files;
  #isGone = false;
  #isSought = false; // whether the server is asked for it

  /** @param page `chat()`, `me()`; `here()`, the room that is shown; and `onGone()` when the message is gone */
  constructor(page) {
    this.#page = page;
    this.#files = new FileLinks((files) => page.chat().links(page.here().name, files), $('thread-root'));
  }

  /** Whether the message was deleted. */
  get isGone() {
    return this.#isGone;
  }

  /** The time of the message, as `{time}`: the first reply shows its day only if it is another one. */
  get time() {
    return this.#view && { time: this.#view.row.time };
  }

  show(id) {
    this.end();
    this.#id = id;
    this.draw();
  }

  end() {
    this.#id = this.#view = undefined;
    this.#isGone = this.#isSought = false;
    $('thread-root').replaceChildren();
  }

  /** Draws the message as it is now. One that the room has not loaded is loaded there, where its changes come. */
  draw() {
    if (!this.#id || this.#isGone) return;
    const row = this.#page.here().list?.get(this.#id);
    if (row) this.#paint(row);
    else if (!this.#isSought) this.#seek();
  }

  async #seek() {
    const id = this.#id;
    const here = this.#page.here();
    this.#isSought = true;
    try {
      const row = await here.fetch(id);
      if (this.#id !== id) return;
      if (!row) this.#miss();
      else if (await here.list.goTo({ id })) this.draw();
    } catch {
      // Without a connection it is sought when the messages of the room come.
    }
    if (this.#id === id) this.#isSought = false;
  }

  /** Draws it again if it is folded now, or is not any more. */
  refold() {
    if (this.#view) this.#fill(this.#view.row);
  }

  #paint(row) {
    if (this.#view?.row !== row) this.#fill(row);
  }

  #fill(row) {
    const here = this.#page.here();
    const me = this.#page.me();
    this.#view ??= this.#make();
    this.#view.fill(row, me, here.list.get(row.replyTo));
    this.#view.head(undefined, me);
    if (row.files && !this.#view.isFolded) this.#files.watch(this.#view.node, row);
    this.mark(row.id);
  }

  #make() {
    const view = new RowView(this.#id);
    view.arrive();
    view.node.setAttribute('role', 'article');
    $('thread-root').replaceChildren(view.node);
    return view;
  }

  #miss() {
    this.#isGone = true;
    this.#view = undefined;
    $('thread-root').replaceChildren(element('p', { className: 'gone' }, 'This message was deleted.'));
    this.#page.onGone();
  }

  /** Shows what waits to be done with the message. */
  mark(id) {
    if (id === this.#id && this.#view) this.#page.here().mark(id, this.#view.node);
  }
}
