/**
 * The elements of the rows in the list of rooms. In a long section only the rows on the screen and near it have elements: the
 * section is as high as all of its rows, and each row stands at the height of its place. All of its rows have one height.
 */

const NEAR = 600; // px above and below the screen in which rows have elements
const FIRST = 30; // rows that have elements while the list is hidden
const WHOLE = new Set(['invited', 'pinned']); // rows have answers there, or are dragged to a place among the others

export class RoomRows {
  #page;
  #sections = new Map(); // name → {list, rooms, from, to}: the rooms in order, and which of them are near the screen
  #items = new Map(); // room → element
  #revealed; // the room that is about to have the focus
  #frame;

  /**
   * @param page the `scroller`; the `lists`, an element for each section; `make(room)`, which returns a row's element; `isNeeded(room)`,
   * whether a row has an element wherever it stands; and `onDrop(room)`, when it has none any more
   */
  constructor(page) {
    this.#page = page;
    const sizes = new ResizeObserver(() => this.#measure());
    sizes.observe(page.scroller);
    for (const [section, list] of Object.entries(page.lists)) {
      list.toggleAttribute('data-placed', !WHOLE.has(section));
      this.#sections.set(section, { list, rooms: [], from: 0, to: WHOLE.has(section) ? Infinity : FIRST });
      sizes.observe(list);
    }
    page.scroller.addEventListener('scroll', () => this.#later(), { passive: true });
  }

  /** Returns the element of a room's row, if it has one. */
  get(room) {
    return this.#items.get(room);
  }

  /** The rooms whose rows have elements. */
  get drawn() {
    return [...this.#items.keys()];
  }

  /** Shows these rooms, which are in order, in a section. Another section may have an element of theirs until `draw`. */
  apply(section, rooms) {
    this.#sections.get(section).rooms = rooms;
  }

  /** Returns the element of a room's row, which gets one if it has none. */
  reveal(room) {
    this.#revealed = room;
    this.draw();
    this.#revealed = undefined;
    return this.get(room);
  }

  /** Gives elements to the rows that are near the screen, as far as that is known, and takes those of the others. */
  draw() {
    const wanted = new Map([...this.#sections.values()].map((section) => [section, this.#wanted(section)]));
    const kept = new Set([...wanted.values()].flatMap((entries) => entries.map(([room]) => room)));
    for (const room of this.#items.keys()) if (!kept.has(room)) this.#drop(room);
    for (const [section, entries] of wanted) this.#place(section, entries);
    this.#later();
  }

  /** Returns `[room, index]` of each row of a section that is to have an element. */
  #wanted({ rooms, from, to }) {
    const isWanted = (room, index) => (index >= from && index < to) || this.#isHeld(room);
    return rooms.flatMap((room, index) => (isWanted(room, index) ? [[room, index]] : []));
  }

  /** Returns whether a row keeps its element: it has the focus, a menu or the pointer, or is about to. */
  #isHeld(room) {
    if (room === this.#revealed || this.#page.isNeeded(room)) return true;
    const item = this.#items.get(room);
    return Boolean(item) && (item.matches('[data-dragged], [data-open]') || item.contains(document.activeElement));
  }

  #drop(room) {
    this.#items.get(room).remove();
    this.#items.delete(room);
    this.#page.onDrop(room);
  }

  #place({ list, rooms }, entries) {
    let next = list.firstElementChild;
    for (const [room, index] of entries) {
      const item = this.#items.get(room) ?? this.#make(room);
      if (item === next) next = next.nextElementSibling;
      else list.insertBefore(item, next);
      item.style.setProperty('--at', index);
      item.setAttribute('aria-posinset', index + 1);
      item.setAttribute('aria-setsize', rooms.length);
    }
    list.style.setProperty('--rows', rooms.length);
  }

  #make(room) {
    const item = this.#page.make(room);
    this.#items.set(room, item);
    return item;
  }

  // The screen

  /** Measures in the next frame: a handler that read the layout would make the browser compute it at once. */
  #later() {
    this.#frame ??= requestAnimationFrame(() => this.#measure());
  }

  #measure() {
    cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    const screen = this.#page.scroller.getBoundingClientRect();
    const moved = [...this.#sections].map(([name, section]) => !WHOLE.has(name) && this.#bound(section, screen));
    if (moved.includes(true)) this.draw();
  }

  /** Notes which rows of a section are near the screen. Returns whether some of them may have no element. */
  #bound(section, screen) {
    const { top, height } = section.list.getBoundingClientRect();
    const pitch = height / section.rooms.length;
    const [from, to] = pitch > 0 ? [(screen.top - top - NEAR) / pitch, (screen.bottom - top + NEAR) / pitch].map(Math.floor) : [0, FIRST];
    const isInside = pitch > 0 && section.from <= Math.max(0, from + NEAR / pitch / 2) && section.to >= Math.min(section.rooms.length, to - NEAR / pitch / 2);
    if (isInside || (section.from === from && section.to === to)) return false;
    [section.from, section.to] = [from, to];
    return true;
  }
}
