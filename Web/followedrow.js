/** The content of a row in the list of followed threads: its room, the message that it answers, and the newest reply. */

import { isBlocked } from './blocks.js';
import { textOf } from './diffroom.js';
import { $, badges, element, moment } from './elements.js';
import { named, paintFace } from './faces.js';
import { roomOf } from './kinds.js';
import { labelOf, nameOf } from './labels.js';
import { withoutMarks } from './markdown.js';
import { isNews, mutedSign, shortTime } from './roomrow.js';

/** Draws a row into its element: its `news`, whether something that the user sets for it waits, and `me`, the user's name. */
export function drawFollowed(item, row, { news, isChanging, me }) {
  const { last, muted, root } = row;
  const avatar = element('span', { className: 'avatar small', ariaHidden: 'true' });
  const who = last?.author ?? root?.author;
  if (who) paintFace(avatar, who);
  const time = last?.time === undefined ? [] : [element('time', { dateTime: new Date(last.time).toISOString(), title: moment.format(last.time) }, shortTime(last.time))];
  const head = element('span', { className: 'head' }, nameOf({ ...row, id: roomOf(row.id) }), ...(muted ? [mutedSign()] : []), ...time);
  const begun = root ? line('root', root, me) : element('span', { className: 'root gone' }, 'The message was deleted');
  const foot = element('span', { className: 'foot' }, ...(last ? [line('last', last, me)] : []), ...badges(news));
  const open = buttonOf(item, 'open', 'open');
  open.replaceChildren(avatar, element('span', { className: 'body' }, head, begun, foot));
  item.toggleAttribute('data-unread', isNews(row, news));
  item.toggleAttribute('data-muted', Boolean(muted));
  item.toggleAttribute('data-changing', isChanging);
  const more = buttonOf(item, 'menu', 'more');
  if (!more.firstChild) more.append($('dots').content.cloneNode(true));
  Object.assign(more, { tabIndex: -1, ariaHasPopup: 'menu', ariaLabel: `Actions for ${labelOf(row)}` });
}

/** Returns the button of a row that does something; it stays the same, because it may have the focus. */
function buttonOf(item, act, className) {
  const known = [...item.children].find(({ dataset }) => dataset.act === act);
  if (known) return known;
  const button = element('button', { type: 'button', className, dataset: { act } });
  item.append(button);
  return button;
}

/** Returns who has said something, and how it begins. */
function line(className, message, me) {
  if (isBlocked(message.author)) return element('span', { className }, 'Blocked user');
  const who = message.author === me ? 'You' : message.author && named(message.author);
  const text = element('span', { dir: 'auto' }, withoutMarks(textOf(message)));
  return element('span', { className }, ...(who ? [element('span', { className: 'who' }, who, ':'), ' '] : []), text);
}
