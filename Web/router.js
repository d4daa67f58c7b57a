/** The room that the page's address names, and the browser's history of rooms. */

import { kindOf } from './labels.js';

export const LOBBY = 'lobby';

export class Router {
  /** @param onReturn is called with the room to which the browser has gone back, or forward */
  constructor(onReturn) {
    addEventListener('popstate', () => onReturn(this.room));
  }

  get room() {
    const room = this.#query.get('room') ?? '';
    return kindOf(room) ? room : LOBBY;
  }

  /** The id of the message that the address is of. */
  get message() {
    return this.#query.get('message');
  }

  get #query() {
    return new URLSearchParams(location.search);
  }

  /** Gives the page the address of a room; `visit` is how the history has it. */
  go(room, visit) {
    history[visit](null, '', `?room=${encodeURIComponent(room)}`);
  }
}
