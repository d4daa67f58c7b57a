/**
 * The lists that this browser keeps for the person who uses it, so that the page has their rooms and last messages before the
 * server answers, or without it.
 *
 * They are of one person, with the one token that the server accepted, and go when another person or token comes: each list names its
 * owner, because two tabs may be of two people. Nothing is written before the server has confirmed who the person is.
 */

const DATABASE = 'diffroom';
const STORE = 'lists';
const MOST_ROOMS = 6; // whose messages are kept
const MOST_MESSAGES = 50; // of each
const WRITE_EVERY = 2_000; // ms
const PATIENCE = 1_000; // ms after which the page begins without what is kept
const isMessages = (list) => list.endsWith('/messages');
/** Returns the lists of a room that are kept together, from that of its messages. */
const listsOf = (messages) => [messages, messages.replace(/messages$/, 'pins')];

export class KeptLists {
  #database; // none where the browser allows none
  #owner; // the person and the token, as far as the page knows
  #isConfirmed = false;
  #lists = new Map(); // name → what was kept
  #changed = new Map(); // name → the snapshot to write; nothing to remove it
  #timer;
  #tabs = globalThis.BroadcastChannel && new BroadcastChannel(DATABASE);

  constructor() {
    this.#tabs?.addEventListener('message', () => this.#forget());
    addEventListener('pagehide', () => this.#write());
    document.addEventListener('visibilitychange', () => document.hidden && this.#write());
  }

  /** Opens what is kept for a person; of another one it is removed first. */
  async open(name, token) {
    const late = new Promise((_, reject) => setTimeout(reject, PATIENCE));
    try {
      this.#owner = await ownerOf(name, token);
      this.#database = await Promise.race([opened(indexedDB.open(DATABASE, 1)), late]);
      const kept = await Promise.race([this.#read(), late]);
      if (kept.some(([, { owner }]) => owner !== this.#owner)) await this.clear();
      else this.#lists = new Map(kept);
    } catch {
      this.#database = undefined; // a private window, a full disk, or a token on a page without HTTPS
    }
  }

  /** Returns the snapshot of a list that an earlier page has kept. */
  get(list) {
    return this.#database ? this.#lists.get(list) : undefined;
  }

  /** The server has confirmed who the person is. If it is another one, the page begins anew with nothing. */
  async confirm(name, token) {
    if (!this.#database) return undefined;
    const owner = await ownerOf(name, token);
    if (this.#lists.size && owner !== this.#owner) return this.refuse();
    this.#owner = owner;
    this.#isConfirmed = true;
    this.#later();
    return undefined;
  }

  /** The server does not accept the person. */
  async refuse() {
    const wasShown = this.#lists.size > 0;
    await this.clear();
    if (wasShown) location.reload();
  }

  /** Keeps a list as it is now. */
  note(list, snapshot) {
    this.#changed.delete(list);
    this.#changed.set(list, snapshot);
    this.#later();
  }

  /** The person may not read the room any more. */
  dropRoom(room) {
    if (this.#database) for (const list of listsOf(`room/${room}/messages`)) this.note(list, undefined);
  }

  /** Removes all: the person signs out, or is another one. */
  async clear() {
    this.#forget();
    this.#tabs?.postMessage('cleared');
    try {
      if (this.#database) await done(this.#transaction('readwrite', (store) => store.clear()));
    } catch {
      indexedDB.deleteDatabase(DATABASE);
    }
  }

  /** Writes nothing more: neither what this page still gets, nor what other tabs do. */
  #forget() {
    this.#isConfirmed = false;
    this.#lists = new Map();
    this.#changed.clear();
  }

  #later() {
    if (this.#isConfirmed && this.#database) this.#timer ??= setTimeout(() => this.#write(), WRITE_EVERY);
  }

  #write() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isConfirmed || !this.#database || !this.#changed.size) return;
    const changed = [...this.#changed];
    this.#changed.clear();
    try {
      this.#transaction('readwrite', (store) => {
        for (const [list, snapshot] of changed) this.#put(store, list, snapshot);
        const rooms = [...this.#lists.keys()].filter(isMessages);
        for (const list of rooms.slice(0, Math.max(rooms.length - MOST_ROOMS, 0)).flatMap(listsOf)) this.#put(store, list);
      });
    } catch {
      this.#database = undefined; // the browser has closed it
    }
  }

  #put(store, list, snapshot) {
    this.#lists.delete(list);
    if (!snapshot) return store.delete(list);
    this.#lists.set(list, undefined); // in the order in which they were shown
    return store.put({ owner: this.#owner, ...(isMessages(list) ? endOf(snapshot) : wholeOf(snapshot)) }, list);
  }

  #transaction(mode, action) {
    const transaction = this.#database.transaction(STORE, mode);
    action(transaction.objectStore(STORE));
    transaction.commit(); // at once: without it, a page that goes may take it along
    return transaction;
  }

  async #read() {
    const asked = [];
    await done(this.#transaction('readonly', (store) => asked.push(store.getAllKeys(), store.getAll())));
    const [keys, values] = asked.map(({ result }) => result);
    return keys.map((key, index) => [key, values[index]]);
  }
}

/** Returns a list as it is kept to be resumed. */
const wholeOf = ({ epoch, revision, joined, more, count, counts, missing, sections }) => ({ epoch, revision, joined, more, count, counts, missing, sections });

/** Returns the last messages, in the section of those from before the page. Without `joined` they are shown, and not resumed. */
function endOf({ epoch, revision, count, ranges, sections }) {
  const [from] = ranges.at(-1);
  const all = sections.flatMap(({ rows }) => rows).filter(({ sort }) => sort >= from);
  const rows = all.slice(-MOST_MESSAGES);
  return { epoch, revision, count, more: rows.length > 0 && rows.length < count, sections: sections.map(({ id }, index) => ({ id, rows: index ? [] : rows })) };
}

/** Returns a text that stands for a person with a token. The token itself is not kept. */
async function ownerOf(name, token) {
  if (!token) return name;
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return `${name} ${[...new Uint8Array(hash)].join(' ')}`;
}

function opened(request) {
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: reject, onblocked: reject }));
}

const done = (transaction) => new Promise((resolve, reject) => Object.assign(transaction, { oncomplete: resolve, onerror: reject, onabort: reject }));
