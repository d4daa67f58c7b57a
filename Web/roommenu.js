/** The menu of a row in the list of rooms. */

import { $ } from './elements.js';
import { labelOf } from './labels.js';
import { PopupMenu } from './popupmenu.js';
import { choicesFor } from './settings.js';

export class RoomMenu {
  #page;
  #menu = new PopupMenu($('room-menu'));

  /**
   * @param page `get(room)`, the row of one of the user's rooms; `newsOf(row)`, its `{unread, marked}`; the user's `settings`; the `notifier`;
   * and `onLeave(room)`
   */
  constructor(page) {
    this.#page = page;
  }

  #acts = {
    pin: (room) => this.#page.settings.pin(room),
    unpin: (room) => this.#page.settings.unpin(room),
    up: (room) => this.#page.settings.move(room, -1),
    down: (room) => this.#page.settings.move(room, 1),
    mute: (room) => this.#page.settings.set(room, { muted: true }),
    loud: (room) => this.#page.notifier.setLoud(room, true),
    quiet: (room) => this.#page.notifier.setLoud(room, false),
    unmute: (room) => this.#page.settings.set(room, { muted: false }),
    mark: (room) => this.#page.settings.markUnread(room),
    read: (room) => this.#page.settings.markRead(room),
    archive: (room) => this.#page.settings.set(room, { archived: true }),
    unarchive: (room) => this.#page.settings.set(room, { archived: false }),
    leave: (room) => this.#page.onLeave(room),
  };

  /** Opens the menu of a room at a point of the window; `opener` is the element that has the focus afterwards. */
  open(room, opener, point) {
    const choices = this.choicesOf(room);
    if (choices.length) this.#menu.open({ label: labelOf(this.#page.get(room)), choices, onChoose: (act) => this.act(act, room), opener }, point);
  }

  /** Returns what can be done with a room, as `[act, label]`. */
  choicesOf(room) {
    const { get, newsOf, notifier, settings } = this.#page;
    const row = get(room);
    return !row || row.section === 'invited' ? [] : choicesFor({ ...row, isLoud: notifier.isLoud(room) }, newsOf(row), (room, by) => settings.placeBeside(room, by));
  }

  act(act, room) {
    this.#acts[act](room);
  }
}
