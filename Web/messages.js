/**
 * A room's messages as elements: one for each row, touched only when its row changes.
 *
 * Rows stand in chunks, and chunks in blocks, that the browser skips while they are out of sight (`content-visibility`),
 * so a long room costs what is on the screen. The scroller is laid out from its end: it follows new messages by itself while it is there, and
 * older pages in front leave what is being read in its place.
 */

const CHUNK_ROWS = 24;
const BLOCK_CHUNKS = 16;
const ROW_HEIGHT = 44; // px, a guess for chunks that were never on the screen
const GROUP_GAP = 5 * 60_000; // ms between messages of one person that share a heading
const FRAME_BUDGET = 5; // ms of each frame spent on elements for new rows; the rest are made in the next
const AT_END = 48; // px from the end that still count as being there
const TOP = 1_500; // px from the beginning at which older rows are asked for
const KEPT_ROWS = 12_000; // a page left open must not grow for ever

const clock = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const calendar = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });
const links = /https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]}]/gi;
const urgency = { light: 1, fill: 2, place: 3 };

/** An element with properties; strings become text, never markup. */
export function element(tag, { dataset, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  Object.assign(made.dataset, dataset);
  made.append(...children);
  return made;
}

/** Names as a sentence has them: ann, bob and cid. */
export function listed(names) {
  return names.flatMap((one, index) => [index ? (index < names.length - 1 ? ', ' : ' and ') : '', one]);
}

/** A person's initial on a colour that follows from the name. */
export function paintAvatar(avatar, name) {
  let hue = 7;
  for (const character of name) hue = (hue * 31 + character.codePointAt(0)) % 360;
  avatar.style.setProperty('--hue', hue);
  avatar.textContent = [...name][0].toUpperCase();
}

/** Text with its web addresses as links, which open only when somebody clicks them. */
function linked(text) {
  const parts = [];
  let from = 0;
  for (const { 0: href, index } of text.matchAll(links)) {
    parts.push(text.slice(from, index), element('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow ugc' }, href));
    from = index + href.length;
  }
  return [...parts, text.slice(from)];
}

/**
 * @param parts `scroller`, `timeline`, `beginning`, `joined`, `pending` and `sections` (by id): the elements of the page
 * @param room `list()` and `me()`; `onUnseen(rows)` when messages wait below, `onArrived(rows)` for each that came,
 *   `onRead(revision)` when the end is in view
 */
export function messageView(parts, { list, me, onUnseen, onArrived, onRead }) {
  const { scroller, sections } = parts;
  const views = new Map(); // id → {node, row, pending, head, day}
  const quotedBy = new Map(); // id → ids of the rows that quote it
  const dirty = new Map(); // id → how much of it is to be drawn
  let snapshot;
  let frame;
  let unseen = 0;
  let asking = false;
  let readers = []; // members who said how far they have read
  const seenBy = element('p', { className: 'seen' });

  // What is to be drawn

  function mark(id, work) {
    if (!(urgency[dirty.get(id)] >= urgency[work])) dirty.set(id, work);
  }

  /** Takes what the library says; it is drawn in the next frame. */
  function take(said) {
    const { deleted, inserted, moved, reloaded, reconfigured, why } = said.changes;
    snapshot = said.snapshot;
    for (const id of deleted) mark(id, 'place');
    for (const { id } of inserted) mark(id, 'place');
    for (const { id } of moved) mark(id, 'place');
    for (const { id } of reloaded) mark(id, 'fill');
    for (const { id } of reconfigured) mark(id, 'light');
    if (why === 'diff') count(inserted.filter((row) => row.author !== me()));
    frame ??= requestAnimationFrame(draw);
    if (why !== 'trim') tidy();
  }

  function count(rows) {
    if (!rows.length) return;
    onArrived(rows);
    if (!isAtEnd() || document.hidden) onUnseen((unseen += rows.length));
  }

  /** A change is shown whole: what comes between two frames has a place for each of its rows, and no gap. */
  function draw() {
    frame = isPrepared() ? undefined : requestAnimationFrame(draw);
    if (frame) return;
    const touched = new Set();
    for (const [id, work] of inOrder()) perform(id, work, touched);
    dirty.clear();
    for (const id of touched) group(id);
    drawPending();
    drawSeen();
    seen();
    drawEdges();
  }

  /** Makes elements for new rows, as many as a frame has time for, and tells whether all have theirs. */
  function isPrepared() {
    const until = performance.now() + FRAME_BUDGET;
    for (const id of dirty.keys()) {
      const row = !views.has(id) && list().get(id);
      if (row) fill(make(row), row);
      if (performance.now() > until) return false;
    }
    return true;
  }

  /** Lets go of what nobody reads: later if somebody may be reading it. */
  function tidy() {
    const held = snapshot.sections.reduce((sum, { rows }) => sum + rows.length, 0);
    if (held > KEPT_ROWS * 5 || (held > KEPT_ROWS * 1.2 && isAtEnd())) list().trim(KEPT_ROWS);
  }

  /** First what goes, then rows as they stand: each finds the one before it drawn. */
  function inOrder() {
    const order = snapshot.sections.map(({ id }) => id);
    const place = (row) => (row ? order.indexOf(row.section) : -1);
    const work = [...dirty].map((entry) => ({ entry, row: list().get(entry[0]) }));
    work.sort(({ row: a }, { row: b }) => place(a) - place(b) || a?.sort - b?.sort || 0);
    return work.map(({ entry }) => entry);
  }

  function perform(id, work, touched) {
    const row = list().get(id);
    const view = views.get(id);
    if (!row) return void (view && !view.pending && remove(id, view, touched));
    if (view?.pending !== false || work === 'place') place(row, view ?? make(row), touched);
    else if (work === 'fill') fill(view, row);
    else drawReactions(view, row);
    if (work !== 'light') requote(id);
  }

  function drawEdges() {
    const isSplit = snapshot.sections.length && snapshot.sections.every(({ rows }) => rows.length);
    if (parts.joined.hidden === Boolean(isSplit)) parts.joined.hidden = !isSplit;
    older();
  }

  // Where a row stands

  function make({ id }) {
    const view = { node: element('article', { className: 'row', role: 'listitem', tabIndex: -1, dataset: { id } }) };
    views.set(id, view);
    return view;
  }

  function place(row, view, touched) {
    if (view.node.parentNode) detach(view, touched);
    const [rows, index] = list().placeOf(row);
    attach(view.node, views.get(rows[index - 1]?.id)?.node, sections[row.section]);
    view.pending = false;
    delete view.node.dataset.state;
    if (view.row !== row) fill(view, row);
    touched.add(row.id).add(neighbours(row).after?.id);
  }

  /** Puts a row behind another or, without one, first in its section. */
  function attach(node, before, section) {
    const chunk = before?.parentNode;
    if (!chunk) chunkInFront(section).prepend(node);
    else if (before.nextSibling || hasRoom(chunk, CHUNK_ROWS)) before.after(node);
    else chunkBehind(chunk).prepend(node);
    estimate(node.parentNode);
  }

  function chunkBehind(chunk) {
    const block = chunk.parentNode;
    const next = chunk.nextElementSibling;
    if (next && hasRoom(next, CHUNK_ROWS)) return next;
    if (next || hasRoom(block, BLOCK_CHUNKS)) return addBox('chunk', block, next);
    return addBox('chunk', addBox('block', block.parentNode, block.nextElementSibling), null);
  }

  const hasRoom = (box, limit) => box.childElementCount < limit;

  /** Always a new one: a page that goes into one with rows already would make it too large. */
  function chunkInFront(section) {
    const first = section.firstElementChild;
    const block = first && hasRoom(first, BLOCK_CHUNKS) ? first : addBox('block', section, first);
    return addBox('chunk', block, block.firstElementChild);
  }

  function addBox(className, parent, next) {
    return parent.insertBefore(element('div', { className, role: 'presentation' }), next);
  }

  function estimate(chunk) {
    const block = chunk.parentNode;
    chunk.style.containIntrinsicBlockSize = `auto ${chunk.childElementCount * ROW_HEIGHT}px`;
    block.style.containIntrinsicBlockSize = `auto ${block.childElementCount * CHUNK_ROWS * ROW_HEIGHT}px`;
  }

  function detach({ node, row, pending }, touched) {
    const chunk = node.parentNode;
    node.remove();
    if (pending || !chunk) return;
    touched.add(neighbours(row).after?.id);
    if (chunk.childElementCount) return estimate(chunk);
    const block = chunk.parentNode;
    chunk.remove();
    if (!block.childElementCount) block.remove();
  }

  function remove(id, view, touched) {
    const { before, after } = neighbours(view.row);
    if (view.node.contains(document.activeElement)) (views.get((after ?? before)?.id)?.node ?? scroller).focus();
    detach(view, touched);
    views.delete(id);
    quotedBy.get(view.row.replyTo)?.delete(id);
    requote(id);
  }

  /** The rows around the place of a row, which itself may be gone already. */
  function neighbours(row) {
    const [rows, index] = list().placeOf(row);
    const at = snapshot.sections.findIndex((section) => section.rows === rows);
    const before = rows[index - 1] ?? snapshot.sections.slice(0, at).findLast((section) => section.rows.length)?.rows.at(-1);
    const after = rows[index + (rows[index]?.sort === row.sort)] ?? snapshot.sections.slice(at + 1).find((section) => section.rows.length)?.rows[0];
    return { before, after };
  }

  // What a row shows

  /** Whether the row opens a group of one person's messages, or a day. */
  function group(id) {
    const view = views.get(id);
    if (!view || view.pending !== false) return;
    show(view, neighbours(view.row).before);
  }

  function show(view, before) {
    const { row, node } = view;
    const day = !before || !sameDay(before.time, row.time);
    const far = day || before.author !== row.author || before.section !== row.section || row.time - before.time > GROUP_GAP;
    const head = far || Boolean(row.replyTo);
    if (view.head === head && view.day === day) return;
    Object.assign(view, { head, day });
    node.classList.toggle('head', head);
    for (const old of node.querySelectorAll(':scope > .heading, :scope > .avatar, :scope > .day')) old.remove();
    if (head) node.prepend(avatarOf(row), heading(row));
    if (day) node.prepend(element('p', { className: 'day rule' }, element('span', {}, calendar.format(row.time))));
  }

  function avatarOf({ author }) {
    const avatar = element('span', { className: 'avatar', ariaHidden: 'true' });
    paintAvatar(avatar, author);
    return avatar;
  }

  function heading({ author, time }) {
    return element('p', { className: 'heading' }, element('bdi', { className: author === me() ? 'author own' : 'author' }, author), ' ', timeOf(time));
  }

  /** A row without a heading tells its time when somebody looks at it. */
  function tellTime({ target }) {
    const node = target.closest?.('.row:not(.head)');
    const view = node && views.get(node.dataset.id);
    if (!view || node.querySelector(':scope > .aside')) return;
    const { author, time } = view.row;
    node.prepend(element('time', { className: 'aside' }, element('span', { className: 'unseen' }, `${author}, `), clock.format(time)));
  }

  function timeOf(time) {
    return element('time', { dateTime: new Date(time).toISOString(), title: moment.format(time) }, clock.format(time));
  }

  /** Draws all of a row but its heading, which depends on the row before it. */
  function fill(view, row) {
    const { node } = view;
    view.row = row;
    const keep = [...node.children].filter((child) => child.matches('.avatar, .heading, .day'));
    const after = [...node.children].filter((child) => child.matches('.seen, #tools'));
    const text = element('div', { className: 'text', dir: 'auto' }, ...linked(row.text));
    if (row.edited) text.append(element('small', { title: moment.format(row.edited) }, ' edited'));
    node.replaceChildren(...keep, ...(row.replyTo ? [quoteOf(row)] : []), text, ...after);
    drawReactions(view, row);
  }

  function quoteOf({ id, replyTo }) {
    if (!quotedBy.has(replyTo)) quotedBy.set(replyTo, new Set());
    quotedBy.get(replyTo).add(id);
    const quoted = list().get(replyTo);
    const said = quoted ? [element('bdi', {}, quoted.author), ' ', element('span', { dir: 'auto' }, quoted.text.slice(0, 200))] : ['an earlier message'];
    return element('button', { type: 'button', className: 'quote', tabIndex: -1, dataset: { act: 'quoted' }, disabled: !quoted }, ...said);
  }

  /** A message came, changed or went: so do the quotes of it. */
  function requote(id) {
    for (const quoting of quotedBy.get(id) ?? []) {
      const view = views.get(quoting);
      if (view) view.node.querySelector('.quote').replaceWith(quoteOf(view.row));
    }
  }

  function drawReactions(view, row) {
    const { node } = view;
    view.row = row;
    const old = node.querySelector(':scope > .reactions');
    const focused = old?.contains(document.activeElement) && document.activeElement.dataset.emoji;
    old?.remove();
    if (row.reactions?.length) node.querySelector(':scope > .text').after(element('div', { className: 'reactions' }, ...row.reactions.map(chip)));
    if (focused) ([...node.querySelectorAll('.chip')].find((made) => made.dataset.emoji === focused) ?? node).focus();
  }

  function chip({ emoji, users }) {
    const mine = users.includes(me());
    const title = `${users.slice(0, 20).join(', ')}${users.length > 20 ? ` and ${users.length - 20} more` : ''}`;
    const label = `${emoji}, ${users.length}${mine ? ', with yours' : ''}`;
    const made = element('button', { type: 'button', className: 'chip', title, ariaLabel: label, ariaPressed: String(mine), dataset: { act: 'chip', emoji } });
    made.append(element('span', { className: 'emoji' }, emoji), ` ${users.length}`);
    return made;
  }

  // What is not said yet

  function drawPending() {
    const waiting = new Map(snapshot.pending.map((row) => [row.id, row]));
    for (const node of [...parts.pending.children]) if (!waiting.has(node.dataset.id)) discard(node);
    let before = snapshot.sections.findLast((section) => section.rows.length)?.rows.at(-1);
    for (const row of waiting.values()) {
      if (!list().get(row.id)) drawWaiting(row, before);
      before = row;
    }
  }

  function discard(node) {
    views.delete(node.dataset.id);
    node.remove();
  }

  function drawWaiting(row, before) {
    const view = views.get(row.id) ?? make(row);
    if (view.row !== row) {
      fill(view, row);
      view.pending = true;
      view.node.dataset.state = row.error ? 'failed' : 'waiting';
      if (row.error) view.node.append(refusal(row));
    }
    if (!view.node.parentNode) parts.pending.append(view.node);
    show(view, before);
  }

  function refusal({ message }) {
    const button = (act, label) => element('button', { type: 'button', dataset: { act } }, label);
    return element('p', { className: 'refusal', role: 'alert' }, `Not sent: ${message} `, button('again', 'Change it'), ' ', button('discard', 'Discard'));
  }

  // Who has read it

  /** Members as the library has them; whose `read` is not known does not count. */
  function readBy(members) {
    readers = members.filter(({ id, read }) => read !== undefined && id !== me());
    if (!frame && snapshot) drawSeen();
  }

  /** Stands under the last message that others have read; that its author has is no news. */
  function drawSeen() {
    const row = lastUpTo(Math.max(...readers.map(({ read }) => read)));
    const names = readers.filter(({ id, read }) => read >= row?.sort && id !== row.author).map(({ id }) => id);
    const view = names.length && views.get(row.id);
    if (!view || view.pending !== false) return seenBy.remove();
    if (seenBy.parentNode !== view.node) view.node.append(seenBy);
    const all = `Seen by ${names.join(', ')}`;
    if (seenBy.title === all) return;
    seenBy.title = all;
    seenBy.replaceChildren('Seen by ', ...(names.length > 2 ? numbered(names) : listed(names.map((id) => element('bdi', {}, id)))));
  }

  /** A number to look at, names to hear. */
  function numbered(names) {
    return [element('span', { ariaHidden: 'true' }, names.length), element('span', { className: 'unseen' }, names.join(', '))];
  }

  /** The last row with a sort key up to one. */
  function lastUpTo(sort) {
    for (const { id: section, rows } of snapshot.sections.toReversed()) {
      if (!(rows[0]?.sort <= sort)) continue;
      return rows[list().placeOf({ section, sort: sort + 1 })[1] - 1];
    }
  }

  // Where the reader is

  const isAtEnd = () => scroller.scrollTop > -AT_END;

  function toEnd() {
    scroller.scrollTop = 0;
    seen();
  }

  /** If the end is in view, all has been read. */
  function seen() {
    if (!isAtEnd() || document.hidden || !snapshot) return;
    if (unseen) onUnseen((unseen = 0));
    if (snapshot.revision) onRead(snapshot.revision);
  }

  /** Asks for what came before, if the beginning is near. */
  async function older() {
    // While rows are still to be drawn, nobody knows how far the beginning is.
    if (asking || frame || !snapshot?.more || scroller.scrollHeight - scroller.clientHeight + scroller.scrollTop >= TOP) return;
    asking = true;
    parts.beginning.dataset.busy = true;
    await list().older();
    asking = false;
    delete parts.beginning.dataset.busy;
  }

  scroller.addEventListener('scroll', () => {
    seen();
    older();
  }, { passive: true });
  scroller.addEventListener('pointerover', tellTime);
  scroller.addEventListener('focusin', tellTime);
  document.addEventListener('visibilitychange', seen);

  /** The element of the row before or after one, or of the last: for the arrow keys. */
  function walk(id, by) {
    const row = list().get(id);
    return row ? views.get(neighbours(row)[by < 0 ? 'before' : 'after']?.id)?.node : end('last');
  }

  function end(which) {
    const filled = snapshot.sections.filter((section) => section.rows.length);
    const row = which === 'first' ? filled[0]?.rows[0] : filled.at(-1)?.rows.at(-1);
    return views.get(row?.id)?.node;
  }

  return { take, readBy, toEnd, walk, end, node: (id) => views.get(id)?.node, get size() { return views.size; } };
}

/** Days by their start, so that most comparisons make no date. */
let dayStart = 0;
let dayEnd = 0;

function sameDay(one, other) {
  if (one < dayStart || one >= dayEnd) {
    const date = new Date(one);
    dayStart = new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
    dayEnd = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
  }
  return other >= dayStart && other < dayEnd;
}
