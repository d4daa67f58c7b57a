/** The numbers of unread messages: in the title and the icon of the page, on the button of the rooms, and on the one that leads to the end. */

import { $, numeral, withNews } from './elements.js';

export class Totals {
  #page;
  #unseen = 0; // messages that wait below
  #rooms = { unread: 0, mentions: 0, invited: 0, isLeast: {} };
  #threads = { unread: 0, mentions: 0, isLeast: {} };

  /** @param page `label()`, what the room on the screen is called, if there is one; and `mentions`, which shows the number of these */
  constructor(page) {
    this.#page = page;
  }

  /** Takes the number of messages that wait below, and whether the end is far. */
  takeUnseen(rows, isFar) {
    this.#unseen = rows;
    showNewer($('newer'), rows, isFar);
    this.show();
  }

  /** Shows the unread messages of the other rooms, the mentions in all, the invitations, and which may be more. */
  takeElsewhere(total) {
    this.#rooms = total;
    this.#showElsewhere();
  }

  /** The same of the threads that the user follows. */
  takeThreads(total) {
    this.#threads = total;
    this.#showElsewhere();
  }

  /** The unread messages of the other rooms and of the threads together. */
  get #elsewhere() {
    const all = [this.#rooms, this.#threads];
    const sum = (what) => all.reduce((sum, total) => sum + total[what], 0);
    const isLeast = (what) => all.some((total) => total.isLeast[what]);
    return { unread: sum('unread'), mentions: sum('mentions'), invited: this.#rooms.invited, isLeast: { unread: isLeast('unread'), mentions: isLeast('mentions') } };
  }

  #showElsewhere() {
    const total = this.#elsewhere;
    const { unread, mentions, invited, isLeast } = total;
    $('sidebar-count').hidden = !unread && !mentions && !invited;
    $('sidebar-count').textContent = mentions ? `@${numeral(mentions, isLeast.mentions)}` : numeral(unread + invited, unread && isLeast.unread);
    $('sidebar-count').classList.toggle('call', mentions > 0);
    $('sidebar-button').ariaLabel = withNews('Your rooms', total);
    this.#page.mentions.count(mentions, isLeast.mentions);
    this.show();
  }

  show() {
    const { unread, mentions, isLeast } = this.#elsewhere;
    const all = this.#unseen + unread;
    const news = mentions ? `(@${numeral(mentions, isLeast.mentions)}) ` : all ? `(${numeral(all, isLeast.unread)}) ` : '';
    const label = this.#page.label();
    document.title = label ? `${news}${label} · Diffroom` : 'Diffroom';
    const icon = document.querySelector('link[rel=icon]');
    const href = news ? 'favicon-unread.svg' : 'favicon.svg';
    if (icon.getAttribute('href') !== href) icon.setAttribute('href', href); // or it is fetched again
  }
}

/** Shows on the button that leads to the end how many messages wait below. */
export function showNewer(button, rows, isFar) {
  button.hidden = !rows && !isFar;
  button.textContent = rows ? `${rows.toLocaleString()} new` : 'Newest';
}
