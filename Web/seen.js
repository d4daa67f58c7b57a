/** The mark under the last message that others have read. */

import { element, listed } from './elements.js';

export class SeenMark {
  #node = element('p', { className: 'seen' });
  #readers = []; // members who said how far they have read

  /** Members as the library has them; whose `read` is not known does not count. */
  readBy(members, me) {
    this.#readers = members.filter(({ id, read }) => read !== undefined && id !== me);
  }

  /** Stands under the last of these rows that others have read; that its author has is no news. */
  draw(sections, viewOf) {
    const row = lastUpTo(sections, Math.max(...this.#readers.map(({ read }) => read)));
    const names = this.#readers.filter(({ id, read }) => read >= row?.sort && id !== row.author).map(({ id }) => id);
    const view = names.length && viewOf(row.id);
    if (!view || view.isPending !== false) return this.#node.remove();
    if (this.#node.parentNode !== view.node) view.node.append(this.#node);
    const all = `Seen by ${names.join(', ')}`;
    if (this.#node.title === all) return;
    this.#node.title = all;
    this.#node.replaceChildren('Seen by ', ...(names.length > 2 ? numbered(names) : listed(names.map((id) => element('bdi', {}, id)))));
  }
}

/** A number to look at, names to hear. */
function numbered(names) {
  return [element('span', { ariaHidden: 'true' }, names.length), element('span', { className: 'unseen' }, names.join(', '))];
}

/** The last row with a sort key up to one. */
function lastUpTo(sections, sort) {
  for (const { rows } of [...sections].reverse()) {
    if (rows[0]?.sort <= sort) return rows.findLast((row) => row.sort <= sort);
  }
  return undefined;
}
