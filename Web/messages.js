/**
 * A room's messages as elements: one for each row, touched only when its row changes.
 *
 * The scroller is laid out from its end. At the end it follows new messages by itself, and older pages in front do not
 * move the rows on the screen.
 */

import { Between } from './between.js';
import { isBlocked, isFolded } from './blocks.js';
import { attach, detach } from './chunks.js';
import { DrawnRange, MOST_ROWS } from './drawnrange.js';
import { isInSight, onSightChange } from './elements.js';
import { FileLinks } from './filelinks.js';
import { FloatingDay } from './floatingday.js';
import { Quotes } from './quotes.js';
import { RowView } from './rows.js';
import { ScrollPosition } from './scrollposition.js';
import { SeenMark } from './seen.js';
import { rowsAfter } from './unread.js';

const FRAME_BUDGET = 5; // ms of each frame spent on elements for new rows; the rest are made in the next
const KEPT_ROWS = 12_000; // a page left open must not grow for ever
const FOUND_TIME = 2_000; // ms for which a message that was gone to is marked

const urgency = { light: 1, fill: 2, place: 3 };

export class MessageView {
  #parts;
  #room;
  #views = new Map(); // id → RowView
  #quotedBy = new Map(); // id → ids of the rows that quote it
  #dirty = new Map(); // id → the parts to draw
  #growing = new Set(); // ids of messages that grow
  #mark = new SeenMark();
  #quotes;
  #files;
  #day;
  #between;
  #position;
  #range = new DrawnRange();
  #snapshot;
  #rows = []; // all that are loaded, in order
  #frame;
  #unseen = 0;
  #asking = false;
  #isFar = false;
  #wanted; // the id of the row to show as soon as it is drawn
  #isLanded = false; // whether it is where the reader is to begin: nothing counts as read before
  #isLanding = false;
  #landsAt = Infinity; // the sort key there
  #ending = new AbortController();

  /**
   * @param parts `scroller`, `day`, `timeline`, `beginning`, `joined`, `pending` and `sections` (by id): the elements; the
   * scroller has only the timeline of the room that is shown
   * @param room `list()` and `me()`; `onUnseen(rows, isFar)` when messages wait below or the end is far,
   * `onArrived(rows)` when messages of others are there, whole, but not of those who are blocked, `onRead(revision)` when the end is in view; `unread`; and
   * `mark(id, node)`, which shows what waits to be done with a message; `links(files)`, which asks for their addresses; and, of a
   * thread, `above()`, the time of the message above the first one, as `{time}`
   */
  constructor(parts, room) {
    this.#parts = parts;
    this.#room = room;
    const { scroller, sections } = parts;
    this.#day = new FloatingDay(parts.day, () => this.#timeOnTop);
    this.#between = new Between({ list: room.list, scroller, sections, node: (id) => this.node(id) });
    this.#quotes = new Quotes({ list: room.list, scroller, onFetch: (id) => this.#requote(id) });
    this.#files = new FileLinks(room.links, scroller);
    const tellTime = ({ target }) => this.#views.get(target.closest?.('.row')?.dataset.id)?.tellTime();
    const { signal } = this.#ending;
    scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true, signal });
    scroller.addEventListener('pointerover', tellTime, { signal });
    scroller.addEventListener('focusin', tellTime, { signal });
    this.#position = new ScrollPosition(parts, () => this.#range.isEndMissing(this.#rows), signal);
    onSightChange(() => this.#seen(), signal);
  }

  /** Detaches the view's event listeners. */
  close() {
    this.#ending.abort();
    this.#quotes.close();
    this.#files.close();
  }

  /** The addresses of the files. */
  get files() {
    return this.#files;
  }

  node(id) {
    return this.#views.get(id)?.node;
  }

  // Changes to draw

  /** Takes a change from the library, to be drawn in the next frame. */
  take({ snapshot, changes }) {
    const { deleted, inserted, moved, reloaded, reconfigured, why } = changes;
    const isOthers = (row) => row.author !== this.#room.me();
    const complete = this.#complete(changes).filter((row) => isOthers(row) && !isBlocked(row.author));
    const came = snapshot.count - (this.#snapshot?.count ?? 0);
    this.#snapshot = snapshot;
    this.#rows = snapshot.sections.flatMap(({ rows }) => rows);
    for (const id of deleted) {
      if (this.#views.has(id)) this.#draws(id, 'place');
      else this.#dirty.delete(id); // it came and went without being drawn, as in a hidden page
    }
    for (const { id } of [...inserted, ...moved]) this.#draws(id, 'place');
    for (const { id } of reloaded) this.#draws(id, 'fill');
    for (const { id } of reconfigured) this.#draws(id, 'light');
    if (why === 'diff') this.#count(inserted.filter(isOthers), snapshot.gaps.length ? came : 0);
    if (why === 'diff' && complete.length && this.#isLanded) this.#room.onArrived(complete);
    this.redraw();
    if (why !== 'trim') this.#tidy();
    if (why === 'snapshot' || why === 'diff') this.#files.again();
  }

  /** Draws again the messages that are folded now, or are not any more, and what quotes them. */
  refold() {
    for (const [id, view] of this.#views) if (view.row && view.isFolded !== isFolded(view.row)) this.#draws(id, 'fill');
    for (const id of this.#quotedBy.keys()) this.#requote(id);
    this.redraw();
  }

  redraw() {
    if (this.#snapshot && this.#isShown) this.#frame ??= requestAnimationFrame(() => this.#draw());
  }

  get #isShown() {
    return this.#parts.timeline.isConnected;
  }

  /** Whether a thread stands over the room. */
  get #isCovered() {
    return !this.#parts.scroller.checkVisibility({ visibilityProperty: true });
  }

  #draws(id, work) {
    if (!(urgency[this.#dirty.get(id)] >= urgency[work])) this.#dirty.set(id, work);
  }

  /** Returns the messages that came whole, or have grown to their end. */
  #complete({ deleted, inserted, reloaded }) {
    for (const id of deleted) this.#growing.delete(id);
    const ended = reloaded.filter(({ id, open }) => !open && this.#growing.delete(id));
    for (const { id, open } of [...inserted, ...reloaded]) if (open) this.#growing.add(id);
    return [...inserted.filter(({ open }) => !open), ...ended];
  }

  /** Counts new rows of others; `came` more, if they are not all loaded. */
  #count(rows, came) {
    if (!rows.length || !this.#isLanded) return;
    if (!this.#position.isAtEnd || !isInSight()) this.#room.onUnseen((this.#unseen += Math.max(rows.length, came)), this.#isFar);
  }

  /** Drops old rows that are not read; later if the user may be reading them. */
  #tidy() {
    const held = this.#rows.length;
    if (held > KEPT_ROWS * 5 || (held > KEPT_ROWS * 1.2 && this.#position.isAtEnd)) this.#room.list().trim(KEPT_ROWS);
  }

  /** Draws a whole change: each of its rows has a place after one frame, and there is no gap. */
  #draw(until = performance.now() + FRAME_BUDGET) {
    if (this.#isShown) this.#bound();
    this.#frame = !this.#isShown || this.#isPrepared(until) ? undefined : requestAnimationFrame(() => this.#draw());
    if (this.#frame || !this.#isShown) return;
    const focused = /** @type {HTMLElement} */ (document.activeElement);
    this.#position.keep(() => {
      const touched = new Set();
      for (const [id, work] of this.#inOrder()) this.#perform(id, work, touched);
      this.#dirty.clear();
      for (const id of this.#between.draw(this.#snapshot, this.#newest())) touched.add(id);
      for (const id of touched) this.#head(id);
      this.#drawPending();
      this.#drawMark();
      this.#drawEnds();
    });
    this.#range.noteDrawn();
    if (focused.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true }); // it was moved
    if (this.#isLanding) this.#beginAtNew();
    if (this.node(this.#wanted)) this.#show(this.node(this.#wanted));
    this.#wanted = undefined;
    this.#seen();
    this.#reach();
    this.#tellFar(); // whether the end of what is drawn is the room's has changed
  }

  /** Shows where the messages begin, and since when the user has seen them come. */
  #drawEnds() {
    const { timeline, joined } = this.#parts;
    const { sections } = this.#snapshot;
    const isSplit = sections.length > 0 && sections.every(({ rows }) => rows.length);
    if (joined.hidden === isSplit) joined.hidden = !isSplit;
    timeline.toggleAttribute('data-cut', this.#range.isCutAbove(this.#rows));
  }

  #newest() {
    return this.#room.unread.mark(this.#snapshot, this.#position.isAtEnd && isInSight());
  }

  // The rows that have elements

  /** Returns a row that has an element, or is to have one. */
  #drawable(id) {
    const row = this.#room.list().get(id);
    return row && this.#range.holds(row) ? row : undefined;
  }

  /** Bounds the number of elements, if there come to be too many. */
  #bound() {
    if (this.#views.size + this.#dirty.size > MOST_ROWS && this.#range.bound(this.#rows, this.#readAt)) this.#rangeAnew();
  }

  /** The sort key of the row that is read, or is going to be. */
  get #readAt() {
    if (this.#isLanding) return this.#landsAt;
    return this.#room.list().get(this.#wanted)?.sort ?? this.at() ?? Infinity;
  }

  /** Draws what has come into the range, and what has left it. */
  #rangeAnew() {
    for (const [id, { row, isPending }] of this.#views) if (isPending === false && !this.#range.holds(row)) this.#draws(id, 'place');
    for (const row of this.#rows) if (this.#range.holds(row) && this.#views.get(row.id)?.isPending !== false) this.#draws(row.id, 'place');
    this.redraw();
  }

  /** Draws the rows around one, at once. */
  #reveal(sort) {
    if (!this.#snapshot || !this.#range.reach(this.#rows, sort)) return;
    this.#rangeAnew();
    cancelAnimationFrame(this.#frame);
    this.#draw(Infinity);
  }

  /** Makes elements for new rows, as many as there is time for but at least one, and returns whether all have theirs. */
  #isPrepared(until) {
    for (const id of this.#dirty.keys()) {
      if (this.#views.has(id)) continue;
      const row = this.#drawable(id);
      if (!row) {
        // Thousands of rows outside the range, looked at in each frame, would leave no time for those within.
        this.#dirty.delete(id);
        continue;
      }
      this.#fill(this.#make(id), row);
      if (performance.now() > until) return false;
    }
    return true;
  }

  /** First the deletions, then the rows in order: each finds the row before it drawn. */
  #inOrder() {
    const order = this.#snapshot.sections.map(({ id }) => id);
    const place = (row) => (row ? order.indexOf(row.section) : -1);
    const work = [...this.#dirty].map((entry) => ({ entry, row: this.#drawable(entry[0]) }));
    work.sort(({ row: a }, { row: b }) => place(a) - place(b) || a?.sort - b?.sort || 0);
    return work.map(({ entry }) => entry);
  }

  #perform(id, work, touched) {
    const row = this.#drawable(id);
    const view = this.#views.get(id);
    if (!row) return void (view && !view.isPending && this.#remove(view, touched));
    if (view?.isPending !== false || work === 'place') this.#place(row, view ?? this.#make(id), touched);
    else if (work === 'fill') this.#refill(view, row, touched);
    else view.react(row, this.#room.me());
    if (work !== 'light') this.#requote(id);
  }

  // Places of rows

  #make(id) {
    const view = new RowView(id);
    this.#views.set(id, view);
    return view;
  }

  #place(row, view, touched) {
    this.#detach(view, touched);
    const { before, after } = this.#neighbours(row);
    const above = before?.section === row.section ? this.node(before.id) : undefined;
    attach(view.node, above, this.#parts.sections[row.section]);
    view.arrive();
    if (view.row !== row || view.isFolded !== isFolded(row)) this.#fill(view, row);
    touched.add(row.id).add(after?.id);
  }

  #detach(view, touched) {
    if (!view.node.parentNode) return;
    if (view.isPending) return view.node.remove();
    touched.add(this.#neighbours(view.row).after?.id);
    detach(view.node);
  }

  #remove(view, touched) {
    const { row, node } = view;
    const { before, after } = this.#neighbours(row);
    if (node.contains(document.activeElement)) (this.node((after ?? before)?.id) ?? this.#parts.scroller).focus();
    this.#detach(view, touched);
    this.#views.delete(row.id);
    const quoting = this.#quotedBy.get(row.replyTo);
    if (quoting?.delete(row.id) && !quoting.size) this.#quotedBy.delete(row.replyTo);
    this.#requote(row.id);
  }

  /** Returns the rows around the place of a row, which itself may be gone. */
  #neighbours(row) {
    const { sections } = this.#snapshot;
    const [rows, index] = this.#room.list().placeOf(row);
    const at = sections.findIndex(({ id }) => id === row.section);
    const before = rows[index - 1] ?? sections.slice(0, at).findLast((section) => section.rows.length)?.rows.at(-1);
    const after = rows[index + (rows[index]?.sort === row.sort)] ?? sections.slice(at + 1).find((section) => section.rows.length)?.rows[0];
    return { before, after };
  }

  // Contents of rows

  #fill(view, row) {
    const { replyTo } = row;
    if (replyTo) this.#quotedBy.set(replyTo, (this.#quotedBy.get(replyTo) ?? new Set()).add(row.id));
    const before = view.quoted;
    view.fill(row, this.#room.me(), this.#quotes.of(replyTo));
    if (view.quoted) this.#quotes.watch(view.quoted, before);
    if (row.files && row.sort !== undefined && !view.isFolded) this.#files.watch(view.node, row);
    this.#room.mark(row.id, view.node);
  }

  /** Draws a row anew. One that is folded, or is not any more, has another heading, and so may the row behind it. */
  #refill(view, row, touched) {
    this.#fill(view, row);
    touched.add(row.id).add(this.#neighbours(row).after?.id);
  }

  #head(id) {
    const view = this.#views.get(id);
    if (view?.isPending !== false) return;
    const { before } = this.#neighbours(view.row);
    const isApart = this.#snapshot.gaps.some((gap) => before?.sort <= gap.after && gap.sort <= view.row.sort);
    view.head(isApart ? undefined : before ?? this.#room.above?.(), this.#room.me());
  }

  /** Updates the quotes of a message that came, changed or went. */
  #requote(id) {
    for (const quoting of this.#quotedBy.get(id) ?? []) {
      const view = this.#views.get(quoting);
      const before = view?.quoted;
      view?.quote(this.#quotes.of(id));
      if (view?.quoted) this.#quotes.watch(view.quoted, before);
    }
  }

  // Pending messages

  #drawPending() {
    const waiting = new Map(this.#snapshot.pending.map((row) => [row.id, row]));
    for (const node of Array.from(this.#parts.pending.children)) if (!waiting.has(node.dataset.id)) this.#discard(node);
    let before = this.#last;
    for (const row of waiting.values()) {
      if (!this.#room.list().get(row.id)) this.#drawWaiting(row, before);
      before = row;
    }
  }

  #discard(node) {
    this.#views.delete(node.dataset.id);
    node.remove();
  }

  #drawWaiting(row, before) {
    const view = this.#views.get(row.id) ?? this.#make(row.id);
    if (view.row !== row) {
      this.#fill(view, row);
      view.await(row.error, row.message);
    }
    if (!view.node.parentNode) this.#parts.pending.append(view.node);
    view.head(before, this.#room.me());
  }

  // Read marks

  readBy(members) {
    this.#mark.readBy(members, this.#room.me());
    if (!this.#frame && this.#snapshot) this.#drawMark();
  }

  #drawMark() {
    this.#mark.draw(this.#snapshot.sections, (id) => this.#views.get(id));
  }

  // The reader's place

  toEnd() {
    this.#reveal(Infinity);
    this.#position.toEnd();
    this.#seen();
  }

  /** Comes on the screen: at its end, or where it was left. */
  show() {
    this.#position.comeBack((id) => this.node(id));
    this.#isFar = this.#position.isFar;
    this.#room.onUnseen(this.#unseen, this.#isFar);
    this.redraw();
  }

  /** Leaves the screen. */
  leave() {
    this.#day.hide();
    this.#position.leave(this.#isLanded);
    this.#isLanded = this.#isLanding = false;
  }

  /**
   * Begins to be read: where the room was left, or at the line above the new messages, those after the revision `read`.
   * @param unread the number of messages that are new, which may be older than the messages themselves
   */
  async land(read = Infinity, unread = 0) {
    const count = unread || rowsAfter(this.#snapshot, read);
    const hasPlace = this.#position.takeLeft();
    if (count) this.#room.onUnseen((this.#unseen = count), this.#isFar);
    const isHeld = this.#snapshot.ranges.some(([from, to]) => from <= read + 1 && read < to);
    if (count && !hasPlace && !isHeld) await this.#room.list().goTo({ revision: read + 1 });
    if (!this.#isShown) return;
    this.#isLanded = hasPlace || !count;
    this.#isLanding = !this.#isLanded;
    this.#landsAt = read + 1;
    if (this.#isLanding) this.#reveal(this.#landsAt);
    this.redraw();
  }

  #beginAtNew() {
    this.#isLanding = false;
    this.#isLanded = true;
    const line = this.#between.node('since');
    if (line) this.#position.bring(line, 'start');
  }

  /** Folds a long message, or unfolds it. Its beginning stays where it is, or comes on the screen. */
  fold(id) {
    const view = this.#views.get(id);
    if (view) this.#position.keepRow(view.node, () => view.toggleFold());
  }

  /** Goes to a message: to the one with an `id`, or the first of a `time`. Resolves to whether it is there. */
  async goTo(place) {
    const row = await this.#room.list().goTo(place);
    this.#wanted = row?.id;
    if (row) this.#reveal(row.sort);
    this.redraw();
    return Boolean(row);
  }

  #show(node) {
    this.#position.bring(node, 'center');
    node.focus({ preventScroll: true });
    node.dataset.found = '';
    setTimeout(() => delete node.dataset.found, FOUND_TIME);
  }

  /** The time of the first row on the screen; none at the end, and where that row shows its day itself. */
  get #timeOnTop() {
    const row = this.#isShown && this.#position.top;
    return row ? this.#room.list().get(row.dataset.id)?.time : undefined;
  }

  /** Returns the sort key of the row in the middle of the screen; none at the end. */
  at() {
    const row = this.#position.middle;
    return row && this.#room.list().get(row.dataset.id)?.sort;
  }

  #scrolled() {
    if (!this.#isShown) return;
    this.#day.show();
    this.#seen();
    this.#reach();
    this.#tellFar();
  }

  /** Tells when the end comes to be far away, and when it no longer is. */
  #tellFar() {
    const { isFar } = this.#position;
    if (isFar === this.#isFar) return;
    this.#isFar = isFar;
    this.#room.onUnseen(this.#unseen, isFar);
  }

  /** Marks everything as read if the end is in view. */
  #seen() {
    if (!this.#position.isAtEnd || !isInSight() || !this.#isLanded || this.#wanted || !this.#isShown || this.#isCovered) return;
    if (this.#unseen) this.#room.onUnseen((this.#unseen = 0), this.#isFar);
    if (this.#snapshot.revision) this.#room.onRead(this.#snapshot.revision);
  }

  /** Draws more rows where the reader comes near the last that are drawn, and asks for older ones if there are none. */
  #reach() {
    // While rows are still to be drawn, the distance to the beginning is unknown.
    if (this.#frame || !this.#snapshot) return;
    const { isNearBeginning, isNearEnd } = this.#position;
    if (isNearBeginning && this.#range.grow(this.#rows, -1)) this.#rangeAnew();
    else if (isNearBeginning) this.#older();
    else if (isNearEnd && this.#range.grow(this.#rows, 1)) this.#rangeAnew();
  }

  async #older() {
    const { beginning } = this.#parts;
    if (this.#asking || !this.#snapshot.more) return;
    this.#asking = true;
    beginning.dataset.busy = true;
    await this.#room.list().older();
    this.#asking = false;
    delete beginning.dataset.busy;
  }

  /** Returns the element of the row before or after one, or of the last one: for the arrow keys. */
  walk(id, by) {
    const row = this.#room.list().get(id);
    return row ? this.#nodeOf(this.#neighbours(row)[by < 0 ? 'before' : 'after']) : this.edge('last');
  }

  /** Returns the element of the first or the last row. */
  edge(which) {
    return this.#nodeOf(which === 'first' ? this.#rows[0] : this.#last);
  }

  /** Returns the element of a row, which it may not have had. */
  #nodeOf(row) {
    if (row && !this.node(row.id)) this.#reveal(row.sort);
    return this.node(row?.id);
  }

  get #last() {
    return this.#rows.at(-1);
  }
}
