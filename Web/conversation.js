/** One room of the page: its messages, who is there, and how far the user has read. */

import { isBlocked } from './blocks.js';
import { learnSent, learnTime } from './clock.js';
import { element } from './elements.js';
import { lowerBound, threadRoot } from './diffroom.js';
import { kindOf, labelOf } from './labels.js';
import { MessageView } from './messages.js';
import { Unread } from './unread.js';

const READ_EVERY = 1_000; // ms
const SETTLED = 2_000; // ms after which the server has counted a read mark

export class Conversation {
  name;
  unread;
  view;
  list;
  members;
  pins;
  /** The user's rights; undefined if they are the usual ones. */
  standing;
  #page;
  #timeline;
  #beginning;
  #hasCome = false; // whether the messages are here as of now
  #isLanded = false; // whether the reader was brought to where reading begins
  #linked; // the id of the message of the page's address, until it is shown
  #readUpTo = 0;
  #telling;
  #isLeftAlone = false; // the user has marked it as unread, and is still here
  #leftAt = -Infinity;
  #sentAt = new Map(); // id of a pending message → when it was sent, by this browser's clock

  /**
   * @param name the room's
   * @param page `part`, which finds the elements; `chat()`, `me()`, `kept`, `tab` and `lists`; the `commands` that wait, and the `reads`; `rooms`, the list of the user's rooms; `about(room)`; `onUnseen`, `onArrived`, `onMessages()` when messages have changed,
   * `onPeople`, `onPins` when what is pinned has changed, `onStanding`, `onSaid(time)`, `onCome()` when its messages are here, `onError` and `onMiss`, of the room that
   * is shown; `onSettled()` when the server has counted what was read in a room that was left; `hint(text)`; of threads `above()`, as the view has it; and `isLoud(room)`, whether the user is notified of all its messages
   */
  constructor(name, page, linked) {
    this.name = name;
    this.#page = page;
    this.#linked = linked;
    this.unread = new Unread({ name, me: page.me, kept: page.kept, tab: page.tab });
    const { part } = page;
    const made = (tag, name, properties, ...children) => element(tag, { id: part.prefix + name, className: name, ...properties }, ...children);
    const section = (name, label) => made('div', name, { className: 'section', role: 'list', ariaLabel: label });
    this.#beginning = made('p', 'beginning');
    const sections = { history: section('history', 'Before you joined'), socket: section('socket', 'Since you joined') };
    const pending = section('pending', 'Being sent');
    const joined = made('p', 'joined', { className: 'joined rule', hidden: true }, element('span', {}, 'since you joined'));
    this.#timeline = made('div', 'timeline', {}, this.#beginning, sections.history, joined, sections.socket, pending);
    const parts = { scroller: part('scroller'), day: part('day'), timeline: this.#timeline, beginning: this.#beginning, joined, pending, sections };
    const { me, onUnseen, onArrived, above } = page;
    const links = (files) => page.chat().links(name, files);
    const onRead = (revision) => this.#tellRead(revision);
    this.view = new MessageView(parts, { list: () => this.list, me, onUnseen, onArrived, onRead, unread: this.unread, mark: (id, node) => this.mark(id, node), links, above });
  }

  // Coming and going

  get #isShown() {
    return this.#timeline.isConnected;
  }

  /** Returns the function for as long as the room is shown: an answer may come later. */
  #whileShown = (told) => (said) => this.#isShown && told(said);

  /** Comes on the screen, as it was; later changes come as soon as the server sends them. */
  show() {
    this.#page.part('scroller').replaceChildren(this.#timeline);
    this.#isLeftAlone = false;
    this.view.show();
    if (this.#page.chat()) this.follow();
  }

  /** Follows the room from where it stood. */
  follow() {
    const { chat, onError, onMiss, onPeople, onPins, onStanding } = this.#page;
    const tell = this.#whileShown;
    this.#isLanded = false;
    if (this.list) return this.rejoin();
    const messages = { at: () => this.view.at(), onChange: (said) => this.#take(said), onError: (error) => this.#miss(error, tell(onError)) };
    messages.onStanding = tell((standing) => onStanding((this.standing = { ...standing, mutedUntil: performance.now() + (standing.mutedFor ?? 0) })));
    messages.kept = this.#page.lists.get(this.#messages);
    this.list = chat().subscribe(this.#messages, messages);
    this.members = chat().subscribe(`room/${this.name}/members`, { onChange: tell(onPeople), onError: tell(onMiss) });
    if (threadRoot(this.name)) return; // nothing is pinned there
    const onChange = (said) => {
      if (said.changes.why !== 'held') this.#page.lists.note(this.#pinned, said.snapshot);
      tell(onPins)();
    };
    this.pins = chat().subscribe(this.#pinned, { onChange, kept: this.#page.lists.get(this.#pinned) });
  }

  get #messages() {
    return `room/${this.name}/messages`;
  }

  get #pinned() {
    return `room/${this.name}/pins`;
  }

  #miss(error, tell) {
    if (['forbidden', 'not_found'].includes(error.error) || error.why) this.#page.lists.dropRoom(this.name);
    tell(error);
  }

  /** Follows the room again after it has ended. */
  rejoin() {
    this.#hasCome = false;
    this.standing = undefined;
    this.list.rejoin();
    this.members.rejoin();
    this.pins?.rejoin();
  }

  /** Whether the user could read the room since the page came. */
  get wasRead() {
    return this.list?.snapshot().revision !== undefined;
  }

  /** The page goes, or is about to. */
  keep() {
    if (this.#telling) this.#sayRead();
    else this.unread.keep();
  }

  /** Leaves the screen, and the room: its messages stay. */
  leave() {
    if (this.#telling) this.#sayRead();
    this.unread.leave();
    this.view.leave();
    this.#leftAt = performance.now();
    setTimeout(() => this.#page.onSettled(), SETTLED);
    for (const list of [this.list, this.members, this.pins]) list?.unsubscribe();
  }

  /** The element with the messages, also while another room is shown. */
  get timeline() {
    return this.#timeline;
  }

  /** Lets go of the messages: the room has left the screen, and its view is not used again. */
  close() {
    this.view.close();
  }

  /** Returns a message of the room; nothing if it is gone. */
  async fetch(id) {
    await undefined; // the room is followed as soon as it is shown
    return this.list.get(id) ?? this.list.fetch(id);
  }

  // News

  #take({ snapshot, changes }) {
    this.#learnTimes(changes.inserted, snapshot.pending);
    this.tellBeginning();
    for (const { author, time } of changes.inserted) if (author === this.#page.me()) this.#page.onSaid(time);
    this.view.take({ snapshot, changes });
    if (this.#isShown) this.#page.onMessages();
    this.#come(changes.why);
    if (this.#hasCome) this.#page.lists.note(this.#messages, snapshot);
    this.land();
  }

  /** Learns the server's time from rows that have come. Of those that were sent here it is known when. */
  #learnTimes(rows, pending) {
    for (const { id, time } of rows) {
      const sentAt = this.#sentAt.get(id);
      if (sentAt === undefined) learnTime(time);
      else learnSent(time, sentAt);
    }
    this.#sentAt = new Map(pending.flatMap(({ id, time }) => (this.#page.commands.isRepeated(id) ? [] : [[id, time]])));
  }

  /** Notes that the messages are here as of now. */
  #come(why) {
    if (this.#hasCome || (why !== 'snapshot' && why !== 'diff')) return;
    this.#hasCome = true;
    if (this.#isShown) this.#page.onCome();
  }

  /** Shows the text before the messages, with the room's current label. */
  tellBeginning() {
    const { more, count, revision } = this.list?.snapshot() ?? {};
    if (threadRoot(this.name)) return this.#tell(more ? 'Older replies' : count || revision === undefined ? '' : 'No replies yet');
    const label = kindOf(this.name) === 'direct' ? undefined : labelOf(this.#page.about(this.name));
    const nothing = revision === undefined ? '' : `There are no messages${label ? ` in ${label}` : ''} yet.`;
    return this.#tell(more ? 'Older messages' : count ? `The beginning${label ? ` of ${label}` : ''}` : nothing);
  }

  #tell(beginning) {
    if (this.#beginning.textContent !== beginning) this.#beginning.textContent = beginning;
  }

  /** Begins to be read at the news, as soon as both the messages and the user's rooms are known. */
  land() {
    const { rooms } = this.#page;
    if (this.#isLanded || !this.#hasCome || !rooms.isCurrent || !this.#isShown) return;
    this.#isLanded = true;
    this.unread.leave(); // what has come now came in an absence, also if the room was shown before the connection was back
    const row = rooms.isMember(this.name) ? rooms.get(this.name) : undefined;
    if (row?.marked) this.#readUpTo = row.read;
    this.unread.know(row?.read, row?.marked);
    if (!row && this.members.snapshot().epoch) this.unread.readElsewhere(this.members.get(this.#page.me())?.read);
    if (this.#linked) return void this.#goToLinked();
    // A row, and so its count, may lag behind the read mark of a moment ago.
    const isCounted = row?.read >= this.#readUpTo;
    this.view.land(Math.max(row?.read ?? 0, this.#readUpTo) || undefined, isCounted ? row.unread : 0);
  }

  /** Brings the reader to a message, as soon as the messages are here. */
  seek(id) {
    this.#linked = id;
    if (this.#isLanded) this.#goToLinked();
  }

  async #goToLinked() {
    const id = this.#linked;
    this.#linked = undefined;
    if (!(await this.view.goTo({ id }))) this.#page.hint('The message of this link is gone, or the server cannot be reached.');
    this.view.land();
  }

  /** Shows on a message what the server has not answered about it. */
  mark(id, node = this.view.node(id)) {
    const waiting = this.#page.commands.of(this.name, id);
    node?.toggleAttribute('data-changing', waiting.includes('edit') || waiting.includes('react'));
    node?.toggleAttribute('data-deleting', waiting.includes('delete'));
  }

  /** Whether a row of the user's rooms is older than the read mark here: it counts messages that are read. */
  isAhead(row) {
    return row.read < this.#readUpTo;
  }

  /** The same, of a room that was left a moment ago. */
  isSettling(row) {
    return this.isAhead(row) && performance.now() - this.#leftAt < SETTLED;
  }

  /** The user marks the room as unread, perhaps `from` a message's sort key on. The messages read before are reported first. */
  markUnread(from) {
    if (this.#telling) this.#sayRead();
    this.#leaveAlone();
    if (from !== undefined) this.#unread(from);
  }

  #unread(from) {
    this.#readUpTo = Math.min(this.#readUpTo, from - 1);
    this.unread.from(from);
    this.view.redraw();
  }

  /** Nothing is read before the user comes back to the room. */
  #leaveAlone() {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    this.#isLeftAlone = true;
  }

  /** The user has marked the room as unread, or read it: the row of their rooms shows what they did on another device. */
  takeMark({ marked, read }) {
    if (!marked) this.#isLeftAlone = false;
    else this.#leaveAlone();
    if (marked && read < this.#readUpTo) this.#unread(read + 1);
    this.view.redraw(); // which reads what is in view, if the room is not left alone
  }

  get isLeftAlone() {
    return this.#isLeftAlone;
  }

  /** The user has come back to the room that they marked as unread, without having gone to another. */
  comeBack() {
    if (!this.#isLeftAlone) return;
    this.#isLeftAlone = false;
    this.#page.chat().read(this.name);
  }

  /** Whether a message that calls the user is not read yet, and the window has no focus: they may look elsewhere. */
  get #mayBeMissed() {
    if (document.hasFocus()) return false;
    const me = this.#page.me();
    const calls = ({ author, everyone, mentions = [] }) => author !== me && !isBlocked(author) && (kindOf(this.name) === 'direct' || this.#page.isLoud(this.name) || everyone || mentions.includes(me));
    const read = Math.max(this.#readUpTo, this.#page.rooms.get(this.name)?.read ?? 0);
    return this.list.snapshot().sections.some(({ rows }) => rows.slice(lowerBound(rows, read + 1)).some(calls));
  }

  /** Notes that all is read; reports it to the server once a second at most. */
  #tellRead(revision) {
    if (this.#isLeftAlone || this.#mayBeMissed) return;
    this.#readUpTo = revision;
    this.unread.read(revision);
    this.#telling ??= setTimeout(() => this.#sayRead(), READ_EVERY);
  }

  #sayRead() {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    this.unread.keep();
    this.#page.reads.note(this.name, this.#readUpTo, lastTime(this.list.snapshot()));
    this.#page.chat().read(this.name, this.#readUpTo);
  }
}

const lastTime = ({ sections }) => Math.max(0, ...sections.map(({ rows }) => rows.at(-1)?.time ?? 0));
