/** The mark under the last message that others have read. */

import { element, listed } from './elements.js';
import { called, named } from './faces.js';

export class SeenMark {
  #node = element('p', { className: 'seen' });
  #readers = []; // members whose read mark is known

  /** Takes the members from the library. Members without a known `read` do not count. */
  readBy(members, me) {
    this.#readers = members.filter(({ id, read }) => read !== undefined && id !== me);
  }

  /** Places the mark under the last of these rows that others than its author have read. */
  draw(sections, viewOf) {
    const row = lastUpTo(sections, Math.max(...this.#readers.map(({ read }) => read)));
    const names = this.#readers.filter(({ id, read }) => read >= row?.sort && id !== row.author).map(({ id }) => id);
    const view = names.length && viewOf(row.id);
    if (!view || view.isPending !== false) return this.#node.remove();
    if (this.#node.parentNode !== view.node) view.node.append(this.#node);
    const all = `Seen by ${names.map(called).join(', ')}`;
    if (this.#node.title === all) return;
    this.#node.title = all;
    this.#node.replaceChildren('Seen by ', ...(names.length > 2 ? numbered(names) : listed(names.map((id) => named(id)))));
  }
}

/** Shows the number, and reads out the names. */
function numbered(names) {
  return [element('span', { ariaHidden: 'true' }, names.length), element('span', { className: 'unseen' }, names.map(called).join(', '))];
}

/** Returns the last row with a sort key of at most the given one. */
function lastUpTo(sections, sort) {
  for (const { rows } of [...sections].reverse()) {
    if (rows[0]?.sort <= sort) return rows.findLast((row) => row.sort <= sort);
  }
  return undefined;
}
