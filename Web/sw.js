/**
 * The service worker: it keeps the page's own files, so that the page begins without a network, and so that all of its
 * files are of one version.
 *
 * The document names its files by their content. The worker fetches the document at each start of the page. If the server
 * has another one, the worker fetches the files that it names first, and only then lets the page begin with it. If that
 * fails, the page begins as it was kept. The worker touches nothing else: rooms come over the page's WebSocket.
 */

const PREFIX = 'diffroom-shell';
const PATIENCE = 3_000; // ms after which a page that is kept begins without the server's answer
const ALSO = ['favicon-unread.svg']; // what scripts ask for, and the document does not name

const worker = /** @type {any} */ (self); // whose own types are not a page's
const root = new URL('./', worker.location.href);
const isRoot = (url) => url.origin === root.origin && url.pathname === root.pathname;

/** Whether an address may be that of a file of the page. */
const isOwn = ({ pathname }) => pathname.startsWith(root.pathname) && /^((style|app)-[\da-f]+\.(css|js)|(fav)?icon[\w-]*\.(svg|png)|manifest\.webmanifest)$/.test(pathname.slice(root.pathname.length));

/** Returns the addresses of the files that a document names. */
function filesIn(text) {
  const named = [...text.matchAll(/<(?:link|script)\b[^>]*?\b(?:href|src)="([^"]+)"/g)].map(([, name]) => name);
  return [...new Set([...named, ...ALSO])].map((name) => new URL(name, root).href);
}

/** Returns the version that is kept: the cache with its document. The newest one that is whole. */
async function keptVersion() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX)).sort();
  for (const name of names.reverse()) {
    const cache = await caches.open(name);
    const document = await cache.match(root.href); // it is stored last
    if (document) return { name, cache, document };
  }
  return undefined;
}

/** Stores a document with all its files. Throws unless all of them are there. */
async function keep(document) {
  const name = `${PREFIX} ${String(Date.now()).padStart(15, '0')}`;
  const cache = await caches.open(name);
  try {
    await cache.addAll(filesIn(await document.clone().text()));
    await cache.put(root.href, document.clone());
  } catch (error) {
    await caches.delete(name);
    throw error;
  }
  for (const other of await caches.keys()) if (other.startsWith(PREFIX) && other < name) await caches.delete(other);
}

/** Returns the server's document, when its files are kept. */
async function present(before) {
  const document = await fetch(root.href, { cache: 'no-cache', redirect: 'error' });
  const isPage = document.ok && document.headers.get('content-type')?.startsWith('text/html');
  if (!isPage) throw Error(`the page is answered with ${document.status}`);
  const tag = document.headers.get('etag');
  if (!before || !tag || before.document.headers.get('etag') !== tag) await keep(document);
  return document;
}

/** Begins the page. */
async function begin(event) {
  const before = await keptVersion();
  const fresh = present(before);
  if (!before) return fresh.catch(() => fetch(event.request));
  event.waitUntil(fresh.catch(() => {}));
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE));
  return (await Promise.race([fresh.catch(() => {}), late])) ?? before.document;
}

/** Returns a file of the version that is kept, or of the server. */
async function file(request) {
  const version = await keptVersion();
  return (await version?.cache.match(request.url)) ?? fetch(request);
}

worker.addEventListener('install', (event) => {
  worker.skipWaiting();
  event.waitUntil(present(undefined));
});
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== root.origin) return;
  if (request.mode !== 'navigate') {
    if (isOwn(url)) event.respondWith(file(request));
  } else if (isRoot(url)) event.respondWith(begin(event));
});
