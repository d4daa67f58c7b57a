/** The element of a person in the list of people. */

import { isBlocked } from './blocks.js';
import { $, element } from './elements.js';
import { named, paintFace } from './faces.js';

const ACTS = [
  { act: 'onMessage', does: 'Message', icon: 'envelope' },
  { act: 'onMenu', does: 'Moderate', icon: 'dots', ariaHasPopup: 'menu' },
];

/** The names of roles. */
export const ROLE_NAMES = { read: 'Reader', write: 'Writer', moderate: 'Moderator', own: 'Owner' };

/** The roles with a mark, and the templates of the marks. */
const MARKS = { moderate: 'shield', own: 'crown' };

export const dots = () => element('span', { className: 'dots', ariaHidden: 'true' }, element('i'), element('i'), element('i'));

/** Returns the element of a person. */
export function personRow(row, isMe) {
  const avatar = element('span', { className: 'avatar small', ariaHidden: 'true' });
  paintFace(avatar, row.id);
  const rest = isMe ? element('span', { className: 'you' }, 'you') : element('span', { className: 'acts' }, ...ACTS.map((act) => button(act, row.id)));
  const made = element('li', { dataset: { name: row.id } }, avatar, named(row.id), rest);
  paintRow(made, row, isMe);
  return made;
}

/** Shows on the element what its person has and does now. */
export function paintRow(made, { id, typing, role, section, by }, isMe) {
  made.dataset.section = section;
  const signs = [...(typing && !isMe && !isBlocked(id) ? [dots()] : []), ...(MARKS[role] ? [mark(role)] : [])];
  for (const old of made.querySelectorAll('.dots, .mark, .by')) old.remove();
  made.querySelector('bdi').after(...signs);
  if (section === 'invited' && by) made.append(element('small', { className: 'by' }, 'invited by ', named(by)));
  else if (isBlocked(id)) made.append(element('small', { className: 'by' }, 'blocked'));
}

function mark(role) {
  const title = ROLE_NAMES[role];
  return element('span', { className: 'mark', title, dataset: { role } }, $(MARKS[role]).content.cloneNode(true), element('span', { className: 'unseen' }, title.toLowerCase()));
}

function button({ act, does, icon, ariaHasPopup = null }, person) {
  const label = `${does} ${person}`;
  return element('button', { type: 'button', tabIndex: -1, ariaHasPopup, ariaLabel: label, title: label, dataset: { act } }, $(icon).content.cloneNode(true));
}
