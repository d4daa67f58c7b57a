/** The content of a row in the list of rooms. */

import { isBlocked } from './blocks.js';
import { serverNow } from './clock.js';
import { $, badges, clock, date, element, sameDay, weekday } from './elements.js';
import { textOf } from './diffroom.js';
import { named, namedInFull } from './faces.js';
import { kindOf, labelOf, nameOf } from './labels.js';
import { withoutMarks } from './markdown.js';
import { dots } from './personrow.js';

const WEEK = 6 * 86_400_000; // ms

/** Draws a row into its link: its `news`, the text of its `draft`, whether it is on the screen, whether others write there, or it is changing, and `me`, the user's name. */
export function drawRoom(link, row, { news, draft, isShown, isTyping, isChanging, me }) {
  const { id, by, last, muted, section, here } = row;
  const parts = [nameOf(row), ...(here ? [hereSign()] : []), ...(muted ? [mutedSign()] : []), ...badges(news)];
  if (by) parts.push(element('span', { className: 'said' }, namedInFull(by), ' invites you'));
  else if (isTyping || last || draft) parts.push(saying(last, isTyping, draft, me), ...(last?.time !== undefined ? [element('time', { dateTime: new Date(last.time).toISOString() }, shortTime(last.time))] : []));
  link.replaceChildren(...parts);
  link.title = kindOf(id) === 'open' ? id : labelOf(row);
  if (section === 'invited') offerAnswers(link, row);
  else offerMenu(link, row);
  link.toggleAttribute('data-changing', isChanging);
  link.toggleAttribute('data-muted', Boolean(muted));
  link.toggleAttribute('data-unread', isNews(row, news));
  link.ariaCurrent = isShown ? 'page' : null;
}

/** Returns the draft or the last message, and the typing mark, which covers it while a person is typing. */
function saying(last, isTyping, draft, me) {
  const said = element('span', { className: 'said' });
  if (draft) said.append(element('span', { className: 'draft' }, 'Draft:'), ' ', element('span', { dir: 'auto' }, withoutMarks(draft.slice(0, 400)).slice(0, 200)));
  else if (last && isBlocked(last.author)) said.append('Blocked user');
  else if (last) {
    const who = last.author === me ? 'You' : last.author && named(last.author);
    said.append(...(who ? [element('span', {}, who, ':'), ' '] : []), element('span', { dir: 'auto' }, withoutMarks(textOf(last))));
  }
  if (isTyping) said.append(element('span', { className: 'typing' }, dots(), 'typing…'));
  return said;
}

export function linkTo(room) {
  return element('a', { href: `?room=${encodeURIComponent(room.id)}`, title: room.id, dataset: { room: room.id } }, nameOf(room));
}

/** Puts the answers to an invitation behind the link to its room. */
function offerAnswers(link, row) {
  const button = (answer, text) => element('button', { type: 'button', dataset: { answer } }, text);
  if (!link.nextSibling?.matches('.answers')) {
    link.nextSibling?.remove();
    link.after(element('span', { className: 'answers' }, button('onJoin', 'Accept'), button('onLeave', 'Decline')));
  }
  for (const made of link.nextSibling.children) made.ariaLabel = `${made.textContent} the invitation to ${labelOf(row)}`;
}

/** Puts the button of the row's menu behind the link to its room. */
function offerMenu(link, row) {
  if (!link.nextSibling?.matches('.more')) {
    link.nextSibling?.remove();
    link.after(element('button', { type: 'button', className: 'more', tabIndex: -1, ariaHasPopup: 'menu' }, $('dots').content.cloneNode(true)));
  }
  link.nextSibling.ariaLabel = `Actions for ${labelOf(row)}`;
  link.setAttribute('aria-keyshortcuts', 'Shift+F10 Alt+Shift+ArrowUp Alt+Shift+ArrowDown');
}

export const mutedSign = () => element('span', { className: 'muted' }, $('bell-off').content.cloneNode(true), element('span', { className: 'unseen' }, 'muted'));

const hereSign = () => element('span', { className: 'here' }, element('span', { className: 'unseen' }, 'there now'));

/** Returns whether something of a room is new to the user, and they want to know. */
export const isNews = (row, { unread, mentions, marked }) => Boolean(mentions || marked || (unread && isHeard(row)));

/** Returns whether all that is said in a room counts, and not only what mentions the user. */
export const isHeard = ({ muted, section }) => !muted && section !== 'archived';

export function shortTime(time) {
  const now = serverNow();
  if (sameDay(now, time)) return clock.format(time);
  return (Math.abs(now - time) < WEEK ? weekday : date).format(time);
}
