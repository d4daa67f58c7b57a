/** The content of one message. */

import { FOLDED, isBlocked, isFolded, shownTextOf } from './blocks.js';
import { serverTime } from './clock.js';
import { splitAtMentions, textOf } from './diffroom.js';
import { calendar, clock, element, moment, sameDay, when } from './elements.js';
import { called, named, paintFace } from './faces.js';
import { filesElement } from './fileelements.js';
import { textBeside } from './files.js';
import { formatted } from './formatted.js';
import { withoutMarks } from './markdown.js';
import { arrange, patch } from './patching.js';
import { pollElement } from './pollelement.js';
import { isVote, pollOf } from './polls.js';

const LONG = 30; // lines of a message that is folded
const LINE = 80; // characters, about, of a line
const GROUP_GAP = 5 * 60_000; // ms between messages of one person that share a heading

/**
 * A message's element. It is drawn again when the message changes, with a heading that depends on the row before it.
 */
export class RowView {
  node;
  row;
  /** Whether it stands among the pending messages; undefined until it stands somewhere. */
  isPending;
  /** Whether it stands as one line without the text, because its author is blocked. */
  isFolded = false;
  #isHead;
  #opensDay;
  #time; // that the heading shows
  #text = element('div', { className: 'text', dir: 'auto' });
  #isUnfolded = false; // whether the user has unfolded it
  #files; // {ids, node}: those that are drawn stay, so that what plays goes on

  constructor(id) {
    this.node = element('article', { className: 'row', role: 'listitem', tabIndex: -1, dataset: { id } });
  }

  /** Draws all but the heading, which depends on the row before it; `quoted` is the message that it answers. */
  fill(row, me, quoted) {
    const { node, row: before, isFolded: wasFolded } = this;
    this.row = row;
    this.isFolded = isFolded(row);
    if (row.open) this.#isUnfolded = true; // its end is what is read
    const { mentions = [], everyone } = row;
    node.toggleAttribute('data-damaged', Boolean(row.damaged));
    node.toggleAttribute('data-called', (everyone || mentions.includes(me)) && row.author !== me && !this.isFolded);
    node.toggleAttribute('data-blocked', this.isFolded);
    patch(this.#text, this.isFolded ? foldedElement() : textElement(row, me));
    const keep = (selector) => [...node.children].filter((child) => child.matches(selector));
    const content = this.isFolded ? [this.#text] : [...this.#quoteOf(row, quoted), this.#text, ...this.#foldOf(row), ...this.#filesOf(row)];
    arrange(node, [...keep(this.isFolded ? '.day' : '.avatar, .heading, .day, .aside'), ...content, ...keep('.reactions, .replies, .seen, #tools')]);
    this.#fold();
    if (row.reactions !== before?.reactions || row.thread !== before?.thread || pollOf(row) || this.isFolded !== wasFolded) this.react(row, me);
  }

  #quoteOf({ replyTo }, quoted) {
    if (!replyTo) return [];
    const made = quoteOf(replyTo, quoted);
    return [this.quoted?.isEqualNode(made) ? this.quoted : made];
  }

  /** While a message grows it is whole. */
  #foldOf(row) {
    return isLong(row) && !row.open ? [this.node.querySelector(':scope > .fold') ?? foldButton()] : [];
  }

  #filesOf({ files = [] }) {
    const ids = files.map(({ id }) => id).join();
    if (ids !== this.#files?.ids) this.#files = { ids, node: ids ? filesElement(files) : undefined };
    return this.#files.node ? [this.#files.node] : [];
  }

  /** Shows the whole of a long message, or its beginning again. */
  toggleFold() {
    this.#isUnfolded = !this.#isUnfolded;
    this.#fold();
  }

  #fold() {
    const button = this.node.querySelector(':scope > .fold');
    this.#text.toggleAttribute('data-folded', Boolean(button) && !this.#isUnfolded);
    if (!button) return;
    button.textContent = this.#isUnfolded ? 'Show less' : 'Show the whole message';
    button.ariaExpanded = String(this.#isUnfolded);
  }

  /** Draws its reactions, the votes of a poll, and the way to its thread. */
  react(row, me) {
    this.row = row;
    if (this.isFolded) return this.node.querySelectorAll(':scope > :is(.reactions, .replies)').forEach((old) => old.remove());
    this.#drawReactions(row, me);
    this.#drawReplies(row);
  }

  #drawReactions(row, me) {
    const { node } = this;
    const poll = pollOf(row);
    const focused = node.contains(document.activeElement) && /** @type {HTMLElement} */ (document.activeElement).dataset.emoji;
    node.querySelector(':scope > .reactions')?.remove();
    if (poll) node.querySelector('.poll').replaceWith(pollElement(poll, row, me));
    const chips = (row.reactions ?? []).filter(({ emoji }) => !(poll && isVote(poll, emoji))).map((reaction) => chip(reaction, me));
    if (chips.length) [...node.querySelectorAll(':scope > :is(.text, .fold, .files)')].at(-1).after(element('div', { className: 'reactions' }, ...chips));
    if (!focused) return;
    const again = [...node.querySelectorAll('[data-emoji]')].find(({ dataset }) => dataset.emoji === focused);
    (again ?? node).focus();
  }

  #drawReplies({ thread }) {
    const { node } = this;
    const before = node.querySelector(':scope > .replies');
    const hadFocus = before !== null && before === document.activeElement;
    before?.remove();
    if (thread) [...node.querySelectorAll(':scope > :is(.text, .fold, .files, .reactions)')].at(-1).after(repliesButton(thread));
    if (hadFocus) (node.querySelector(':scope > .replies') ?? node).focus();
  }

  /** The element of the quote, if there is one. */
  get quoted() {
    return this.node.querySelector(':scope > .quote');
  }

  /** Updates the quote of the message that it answers; null says that it is gone. */
  quote(quoted) {
    this.quoted?.replaceWith(quoteOf(this.row.replyTo, quoted));
  }

  /** Shows a heading if the message begins a group of one person's messages, or a day. */
  head(before, me) {
    const { row, node } = this;
    if (row.time === undefined) return this.#behead(); // of a damaged message whose author is not known
    const opensDay = !before || (before.time !== undefined && !sameDay(timeOf(before), timeOf(row)));
    const isFar = opensDay || before.author !== row.author || before.section !== row.section || timeOf(row) - timeOf(before) > GROUP_GAP;
    const isHead = !this.isFolded && (isFar || Boolean(row.replyTo) || isBlocked(row.author));
    if (this.#isHead === isHead && this.#opensDay === opensDay && this.#time === timeOf(row)) return;
    this.#behead();
    [this.#isHead, this.#opensDay, this.#time] = [isHead, opensDay, timeOf(row)];
    node.classList.toggle('head', isHead);
    if (isHead) node.prepend(avatarOf(row), heading(row, me));
    if (opensDay) node.prepend(element('p', { className: 'day rule' }, element('span', {}, calendar.format(timeOf(row)))));
  }

  #behead() {
    const { node } = this;
    [this.#isHead, this.#opensDay, this.#time] = [false, false, undefined];
    node.classList.remove('head');
    for (const old of node.querySelectorAll(':scope > .heading, :scope > .avatar, :scope > .day')) old.remove();
  }

  /** Shows the time of a row without a heading on demand. */
  tellTime() {
    const { node, row } = this;
    if (this.#isHead || this.isFolded || row.time === undefined || node.querySelector(':scope > .aside')) return;
    node.prepend(element('time', { className: 'aside' }, element('span', { className: 'unseen' }, `${called(row.author)}, `), clock.format(row.time)));
  }

  /** Shows that the message is on its way, or why the server refused it. */
  await(error, message) {
    this.isPending = true;
    this.node.dataset.state = error ? 'failed' : 'waiting';
    if (error) this.node.append(refusal(message));
  }

  /** Shows that the message has arrived. */
  arrive() {
    this.isPending = false;
    delete this.node.dataset.state;
  }
}

/** Returns when a row was sent, by the server's clock. One without a place is pending, and has its time by this browser's. */
const timeOf = ({ sort, time }) => (sort === undefined ? serverTime(time) : time);

/** Returns an element with what a message says. */
function textElement(row, me) {
  const { mentions = [], everyone, edited, open, ended } = row;
  const poll = pollOf(row);
  const said = mentions.length || everyone ? (words) => withMentions(words, row, me) : undefined;
  const content = poll ? [pollElement(poll, row, me)] : formatted(row.damaged ? textOf(row) : textBeside(row), { said, isOpen: open });
  const text = element('div', {}, ...content);
  if (open) endOf(text).append(element('span', { className: 'growing', ariaHidden: 'true' }));
  if (edited) text.append(element('small', { title: moment.format(edited) }, ' edited'));
  if (ended) text.append(element('small', { title: 'The message ended before it was complete' }, ` ${ended}`));
  return text;
}

/** Returns an element that stands for what a blocked user has said. */
function foldedElement() {
  const show = element('button', { type: 'button', className: 'show', ariaLabel: 'Show the message', dataset: { act: 'show' } }, 'Show');
  return element('div', {}, element('span', {}, FOLDED), ' ', show);
}

/** Returns the last block of a text, in which the next words will stand. */
function endOf(text) {
  const last = text.lastChild;
  if (last instanceof Element && last.matches('pre')) return last.firstElementChild;
  return last instanceof Element && last.matches('p, blockquote, ul, ol, li') ? endOf(last) : text;
}

/** Returns words of a text with the names of those whom the message mentions. */
function withMentions(words, { mentions = [], everyone }, me) {
  const marked = (name, isOwn, dataset = {}) => element('b', { className: isOwn ? 'own mention' : 'mention', dataset }, `@${name}`);
  const mention = (name) => {
    if (mentions.includes(name)) return marked(name, name === me, { name });
    return everyone && name === 'room' ? marked(name, true) : `@${name}`;
  };
  return splitAtMentions(words, mentions).map((said, index) => (index % 2 ? mention(said) : said));
}

function avatarOf({ author }) {
  const avatar = element('span', { className: 'avatar', ariaHidden: 'true' });
  paintFace(avatar, author);
  return avatar;
}

function heading(row, me) {
  const { author } = row;
  const time = timeOf(row);
  const name = named(author, { className: author === me ? 'author own' : 'author' });
  const said = element('time', { dateTime: new Date(time).toISOString(), title: moment.format(time) }, clock.format(time));
  return element('p', { className: 'heading' }, name, ' ', said);
}

/** Returns whether a message has so many lines that it is folded. Its text is counted: its element is not laid out yet. */
function isLong(row) {
  const { text } = row;
  if (!(text?.length >= LONG) || pollOf(row)) return false;
  return text.split('\n').reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / LINE)), 0) > LONG;
}

const foldButton = () => element('button', { type: 'button', className: 'fold', tabIndex: -1, dataset: { act: 'fold' } });

function quoteOf(id, quoted) {
  const missing = quoted === null ? 'a message that is gone' : 'an earlier message';
  const said = quoted ? [...(quoted.author && !isFolded(quoted) ? [named(quoted.author), ' '] : []), element('span', { dir: 'auto' }, withoutMarks(shownTextOf(quoted).slice(0, 400)).slice(0, 200))] : [missing];
  return element('button', { type: 'button', className: 'quote', tabIndex: -1, dataset: { act: 'quoted', of: id } }, ...said);
}

function chip({ emoji, users }, me) {
  const mine = users.includes(me);
  const title = `${users.slice(0, 20).map(called).join(', ')}${users.length > 20 ? ` and ${users.length - 20} more` : ''}`;
  const label = `${emoji}, ${users.length}${mine ? ', with yours' : ''}`;
  const made = element('button', { type: 'button', className: 'chip', title, ariaLabel: label, ariaPressed: String(mine), dataset: { act: 'chip', emoji } });
  made.append(element('span', { className: 'emoji' }, emoji), ` ${users.length}`);
  return made;
}

/** Returns the button that opens the thread of a message: who has replied last, how many replies there are, and when the last one came. */
function repliesButton({ count, time, people }) {
  const faces = people.map((name) => {
    const face = element('span', { className: 'avatar small' });
    paintFace(face, name);
    return face;
  });
  const number = `${count.toLocaleString()} ${count === 1 ? 'reply' : 'replies'}`;
  const last = element('time', { dateTime: new Date(time).toISOString() }, when(time));
  const button = element('button', { type: 'button', className: 'replies', title: `Thread. The last replies are from ${people.map(called).join(', ')}`, dataset: { act: 'thread' } });
  button.append(element('span', { className: 'faces', ariaHidden: 'true' }, ...faces), element('b', {}, number), ' ', last);
  return button;
}

function refusal(message) {
  const button = (act, label) => element('button', { type: 'button', dataset: { act } }, label);
  return element('p', { className: 'refusal', role: 'alert' }, `Not sent: ${message} `, button('again', 'Change it'), ' ', button('discard', 'Discard'));
}
