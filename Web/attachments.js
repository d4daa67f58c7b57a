/** The files beside the message field: chosen, pasted or dropped, shown in a tray, and uploaded while the user writes. */

import { $, element } from './elements.js';
import { fileIcon } from './fileicons.js';
import { nameOf, sizeInWords } from './files.js';
import { factsOf } from './mediafacts.js';
import { Tray, waitNotice, withoutNames } from './tray.js';

export class Attachments {
  #page;
  #part;
  #room; // that is shown
  #limits = {};
  #trays = new Map(); // room → Tray
  #held = new Map(); // room → what sends the message that waits for its files
  #uploads = new Map(); // key of an entry → {abort, thumbnail, node}

  /**
   * @param page `part`, which finds the elements; `chat()`; `mayAdd()`, which tells the user why not; `hint(text)`; `focus()`, which brings the focus to the message field
   */
  constructor(page) {
    this.#page = page;
    this.#part = page.part;
    this.#part('attach').addEventListener('click', () => this.#part('attach-input').click());
    this.#part('attach-input').addEventListener('change', ({ target }) => {
      this.#add([...target.files]);
      target.value = ''; // the same file can be chosen again
    });
    this.#part('tray').addEventListener('click', ({ target }) => this.#clicked(target.closest('button')));
    this.#part('tray-cancel').addEventListener('click', () => {
      this.release(this.#room);
      page.focus();
    });
    addEventListener('paste', (event) => this.#pasted(event));
    addEventListener('beforeunload', (event) => this.#hasAny && event.preventDefault());
    this.#acceptDrops();
  }

  /** Takes the server's limits, which may be other ones after a new connection. */
  limit(limits) {
    this.#limits = limits;
    this.#part('attach').hidden = !limits.files;
  }

  /** Shows the tray of a room. */
  enter(room) {
    this.#room = room;
    this.#part('tray').replaceChildren(); // other entries
    this.#draw();
  }

  /** The conversation, with its messages and its composer. */
  get #place() {
    return this.#part('composer').parentNode;
  }

  get #hasAny() {
    return [...this.#trays.values()].some(({ entries }) => entries.length > 0);
  }

  #of(room) {
    if (!this.#trays.has(room)) this.#trays.set(room, new Tray());
    return this.#trays.get(room);
  }

  // For the composer

  /** Returns whether files are to be sent with the next message of a room. */
  has(room) {
    return Boolean(this.#trays.get(room)?.entries.length);
  }

  /** Returns why the message cannot be sent; nothing if it can. */
  fault(room) {
    return this.#trays.get(room)?.fault;
  }

  /** Calls `send` when the files are there; at once if they are. The user can cancel that: see `release`. */
  whenThere(room, send) {
    if (!this.#trays.get(room)?.missing) return send();
    this.#held.set(room, send);
    this.#draw();
    return undefined;
  }

  /** Returns the options of `send` for the files of a room, and empties the tray. */
  take(room) {
    const tray = this.#trays.get(room);
    if (!tray?.entries.length) return {};
    this.#trays.delete(room);
    for (const { key } of tray.entries) this.#uploads.delete(key);
    if (room === this.#room) this.#draw();
    return { id: tray.id, files: tray.files };
  }

  /** Ends the wait of a message for its files. Returns whether it waited. */
  release(room) {
    const wasHeld = this.#held.delete(room);
    if (wasHeld) this.#draw();
    return wasHeld;
  }

  /** Puts the files of a refused message back into the tray. Returns the message as the field is to have it. */
  restore(room, message) {
    if (!message.files?.length) return message;
    this.#held.delete(room);
    const tray = this.#of(room);
    for (const { key } of tray.entries) this.#end(key);
    tray.restore(message);
    this.#run(room);
    return withoutNames(message);
  }

  // Adding

  #add(files) {
    if (!files.length || !this.#page.mayAdd()) return;
    const fault = this.#of(this.#room).add(files, this.#limits);
    this.#page.hint(fault);
    this.#run(this.#room);
    this.#page.focus();
  }

  /** A text that comes with pictures of itself, as from an office program, is pasted as text. */
  #pasted(event) {
    const { files, types } = event.clipboardData ?? {};
    const { target } = event;
    const isHere = (target.closest?.('#room, #thread') ?? $('room')) === this.#place;
    const isElsewhere = !isHere || document.querySelector('dialog:modal') || (target.closest?.('input, textarea') ?? this.#part('text')) !== this.#part('text');
    if (!this.#limits.files || !files?.length || types.includes('text/plain') || isElsewhere) return;
    event.preventDefault();
    this.#add([...files]);
  }

  /** Files dropped beside the conversation would replace the page. */
  #acceptDrops() {
    const show = (isOver) => this.#place.toggleAttribute('data-dropping', isOver);
    const isHere = ({ target }) => this.#limits.files > 0 && this.#place.contains(target) && !this.#part('composer').inert;
    const over = (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      if (isHere(event)) event.dataTransfer.dropEffect = 'copy';
      else if (!event.defaultPrevented) event.dataTransfer.dropEffect = 'none'; // another conversation may accept them
      event.preventDefault();
      show(isHere(event));
    };
    addEventListener('dragenter', over);
    addEventListener('dragover', over);
    addEventListener('dragleave', ({ relatedTarget }) => relatedTarget ?? show(false));
    addEventListener('drop', (event) => {
      show(false);
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      if (isHere(event)) this.#dropped(event.dataTransfer);
    });
  }

  #dropped({ items }) {
    const dropped = [...items].filter(({ kind }) => kind === 'file');
    const files = dropped.filter((item) => !item.webkitGetAsEntry?.()?.isDirectory).map((item) => item.getAsFile());
    this.#add(files);
    if (files.length < dropped.length) this.#page.hint('Folders cannot be sent.');
  }

  // Uploading

  /** Begins the uploads that can begin, draws the tray, and sends the message if it has waited for the last file. */
  #run(room) {
    const tray = this.#trays.get(room);
    for (const entry of tray?.begin() ?? []) this.#upload(room, tray, entry);
    const send = this.#held.get(room);
    if (send && !tray?.missing) {
      this.#held.delete(room);
      if (tray?.fault) this.#page.hint(tray.fault);
      else send();
    }
    if (room === this.#room) this.#draw();
  }

  async #upload(room, tray, { key, file, name }) {
    const aborting = new AbortController();
    this.#uploads.set(key, { abort: () => aborting.abort() });
    const learning = factsOf(file).then(({ facts, thumbnail }) => this.#know(room, tray, key, { facts, thumbnail }));
    try {
      const onprogress = ({ loaded }) => {
        tray.progress(key, loaded);
        if (room === this.#room) this.#draw();
      };
      const made = await this.#page.chat().upload(room, tray.id, file, { signal: aborting.signal, onprogress });
      await learning;
      tray.done(key, made);
    } catch (error) {
      if (aborting.signal.aborted) return;
      tray.fail(key, error.name === 'NotReadableError' ? 'The browser cannot read this file.' : error.message);
      if (room !== this.#room) this.#page.hint(`${nameOf({ name })} was not uploaded.`);
    }
    if (!aborting.signal.aborted) this.#run(room);
  }

  #know(room, tray, key, { facts, thumbnail }) {
    tray.know(key, facts);
    Object.assign(this.#uploads.get(key) ?? {}, { thumbnail });
    if (room === this.#room) this.#draw();
  }

  #end(key) {
    this.#uploads.get(key)?.abort();
    this.#uploads.delete(key);
  }

  #clicked(button) {
    const key = Number(button?.closest('li').dataset.key);
    const tray = this.#of(this.#room);
    if (!tray.get(key)) return;
    if (button.dataset.act === 'remove') {
      this.#end(key);
      tray.remove(key);
      this.#page.hint();
      this.#page.focus();
    } else tray.retry(key);
    if (!tray.entries.length) this.release(this.#room);
    this.#run(this.#room);
  }

  // Drawing

  #draw() {
    const tray = this.#trays.get(this.#room);
    const entries = tray?.entries ?? [];
    const list = this.#part('tray');
    list.hidden = !entries.length;
    const nodes = new Map(/** @type {HTMLElement[]} */ ([...list.children]).map((node) => [node.dataset.key, node]));
    for (const [key, node] of nodes) if (!tray?.get(Number(key))) node.remove();
    for (const entry of entries) {
      const node = nodes.get(String(entry.key)) ?? list.appendChild(itemOf(entry));
      show(node, entry, this.#uploads.get(entry.key)?.thumbnail);
    }
    const isHeld = this.#held.has(this.#room);
    this.#part('tray-said').hidden = !isHeld;
    const said = isHeld ? waitNotice(tray.missing) : '';
    if (this.#part('tray-text').textContent !== said) this.#part('tray-text').textContent = said;
    this.#part('composer').toggleAttribute('data-files', entries.length > 0);
  }
}

/** Returns the element of a file in the tray. */
function itemOf({ key, name, size, media }) {
  const shown = nameOf({ name });
  const words = element('div', { className: 'words' }, element('bdi', { title: shown }, shown), element('small', {}, sizeInWords(size)));
  words.append(element('progress', { max: size, value: 0, ariaLabel: `Upload of ${shown}` }));
  const remove = element('button', { type: 'button', className: 'remove', ariaLabel: `Remove ${shown}`, title: 'Remove', dataset: { act: 'remove' } }, '✕');
  return element('li', { dataset: { key } }, element('span', { className: 'sign', ariaHidden: 'true' }, fileIcon(media)), words, remove);
}

/** Shows how far a file is. */
function show(node, { state, loaded, fault }, thumbnail) {
  node.querySelector('progress').value = loaded;
  if (thumbnail && !thumbnail.isConnected) node.querySelector('.sign').replaceChildren(thumbnail);
  if (node.dataset.state === state) return;
  node.dataset.state = state;
  node.querySelector('progress').hidden = state === 'done' || state === 'failed';
  node.querySelector('.refusal')?.remove();
  if (state !== 'failed') return;
  const again = element('button', { type: 'button', dataset: { act: 'again' } }, 'Try again');
  node.querySelector('.words').append(element('p', { className: 'refusal', role: 'alert' }, `Not uploaded: ${fault} `, again));
}
