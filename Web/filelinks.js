/**
 * The addresses of the files in a room's messages. They expire, so the page asks for them when the files come near the screen: for many
 * files at once, and again for one whose address has expired.
 */

import { element } from './elements.js';
import { downloadOf, showAsCard, showFile, showGone, showTrouble } from './fileelements.js';
import { nameOf } from './files.js';

const NEAR = '600px'; // from the screen
const GATHERED = 40; // ms in which those that come near gather
const FRESH = 25 * 60_000; // ms: a server's addresses work for half an hour at least
const MOST_RENEWALS = 3; // of one element's address
const UNREACHABLE = 'The server cannot be reached now.';

export class FileLinks {
  #ask;
  #known = new Map(); // id of a file → {url, at}
  #about = new WeakMap(); // element of a file → {file, message, renewals}
  #wanted = new Set(); // elements that wait for an address
  #timer;
  #observer;

  /** @param ask requests the addresses of files, each `{message, id}`; `scroller` is what they scroll in */
  constructor(ask, scroller) {
    this.#ask = ask;
    this.#observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) this.#meet(target);
    }, { root: scroller, rootMargin: `${NEAR} 0px` });
  }

  /** Observes the files of a message that the server has. */
  watch(node, { id, files }) {
    for (const item of node.querySelectorAll(':scope > .files > li')) {
      if (this.#about.has(item)) continue;
      const file = files.find((one) => one.id === item.dataset.file);
      this.#about.set(item, { file, message: id, renewals: 0 });
      this.#listen(item, file);
      this.#observer.observe(item);
    }
  }

  close() {
    this.#observer.disconnect();
    clearTimeout(this.#timer);
  }

  /** Requests the addresses that are missing, because there is a connection again. */
  again() {
    if (this.#wanted.size) this.#later();
  }

  /** Loads a file that could not be loaded. */
  retry(item) {
    const about = this.#about.get(item);
    if (!about) return;
    about.renewals = 0;
    this.#known.delete(about.file.id);
    item.querySelector('.trouble')?.remove();
    this.#want(item);
  }

  /** Resolves to the address of a file of a message. Rejects if the server cannot be asked, or has no such file. */
  async urlOf(message, { id }) {
    const { url, at = -Infinity } = this.#known.get(id) ?? {};
    if (performance.now() - at < FRESH) return url;
    const [fresh] = await this.#ask([{ message, id }]);
    if (!fresh) throw deleted();
    this.#known.set(id, { url: fresh, at: performance.now() });
    return fresh;
  }

  /** Saves a file. Its address may have expired since the link was drawn, and the file may be gone. */
  async save(message, file) {
    const url = await this.urlOf(message, file);
    const status = await statusOf(url);
    if (status === 403) {
      this.#known.delete(file.id);
      return save(await this.urlOf(message, file), file);
    }
    if (isGone(status)) throw deleted();
    if (!status) throw Error(UNREACHABLE);
    return save(url, file);
  }

  // Elements

  #listen(item, file) {
    const { message } = this.#about.get(item);
    // Errors do not bubble: they are caught on their way down.
    item.addEventListener('error', ({ target }) => this.#missed(item, target.currentSrc || target.src), true);
    item.addEventListener('keydown', (event) => event.key === 'Enter' && event.target.matches('a:not([href])') && event.target.click());
    item.addEventListener('click', async (event) => {
      if (!event.target.closest('a') || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      try {
        await this.save(message, file);
      } catch (error) {
        if (error.error) this.#refuse(item, error);
        else showTrouble(item, error.message || UNREACHABLE);
      }
    });
  }

  #meet(item) {
    this.#observer.unobserve(item);
    this.#want(item);
  }

  #want(item) {
    const { file } = this.#about.get(item);
    const { url, at = -Infinity } = this.#known.get(file.id) ?? {};
    if (performance.now() - at < FRESH) return showFile(item, file, url);
    this.#wanted.add(item);
    return this.#later();
  }

  #later() {
    this.#timer ??= setTimeout(() => this.#fetch([...this.#wanted]), GATHERED);
  }

  async #fetch(items) {
    this.#timer = undefined;
    for (const item of items) this.#wanted.delete(item);
    const files = items.map((item) => this.#about.get(item)).map(({ message, file: { id } }) => ({ message, id }));
    try {
      const urls = await this.#ask(files);
      for (const [index, item] of items.entries()) this.#apply(item, urls[index]);
    } catch (error) {
      // One of them may be gone with its message, or none can be had.
      if (error.error && items.length > 1) for (const item of items) this.#fetch([item]);
      else for (const item of items) this.#refuse(item, error);
    }
  }

  #apply(item, url) {
    const { file } = this.#about.get(item);
    if (!url) return showGone(item, file);
    this.#known.set(file.id, { url, at: performance.now() });
    return showFile(item, file, url);
  }

  /** Shows why a file has no address. Without an error of the server there is no connection: the request is repeated when there is one. */
  #refuse(item, { error, message }) {
    if (!error) this.#wanted.add(item);
    else if (error === 'not_found') showGone(item, this.#about.get(item).file);
    else showTrouble(item, message);
  }

  /** Handles a file that did not load. The browser does not tell why, so the server is asked. */
  async #missed(item, url) {
    const about = this.#about.get(item);
    const status = await statusOf(url);
    if (isGone(status)) showGone(item, about.file);
    else if (status === 403 && ++about.renewals <= MOST_RENEWALS) {
      this.#known.delete(about.file.id);
      this.#want(item);
    } else if (status >= 200 && status < 300) {
      showAsCard(item, about.file);
      this.#want(item);
    } else {
      showTrouble(item, `${nameOf(about.file)} cannot be loaded now.`);
      if (status === 0) this.#wanted.add(item);
    }
  }
}

const deleted = () => Object.assign(Error('This file was deleted'), { error: 'not_found' });

const isGone = (status) => status === 404 || status === 410;

/** Returns the status with which the server answers; 0 without an answer. */
async function statusOf(url) {
  try {
    return (await fetch(url, { method: 'HEAD', cache: 'no-store' })).status;
  } catch {
    return 0;
  }
}

const save = (url, file) => element('a', { href: downloadOf(url), download: nameOf(file) }).click();
