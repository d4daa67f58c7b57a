/** The scripts that the page starts beside its own: the service worker that keeps its files, and the worker that colours code. */

const WORKER = 'sw.js';
/** @type {HTMLMetaElement | null} */
const named = document.querySelector('meta[name="highlighter"]');
const HIGHLIGHTER = named?.content ?? '';

let policy;

/** Returns the address of one of them in the form that the page's policy wants. It makes a script of no other. */
function trusted(address) {
  policy ??= globalThis.trustedTypes?.createPolicy('diffroom-worker', {
    createScriptURL: (address) => [WORKER, HIGHLIGHTER].find((known) => known === address) ?? '',
  });
  return policy?.createScriptURL(address) ?? address;
}

/** Starts the worker of a page that is served as one bundle. The modules by themselves are for work on the page, and are not kept. */
export async function keepShell() {
  if (!('bundled' in document.documentElement.dataset) || !navigator.serviceWorker) return;
  try {
    await navigator.serviceWorker.register(trusted(WORKER), { updateViaCache: 'none' });
  } catch {
    // It is not allowed here, such as in a private window: then the page needs the network to begin.
  }
}

/** Starts a worker that colours code. */
export const startHighlighter = () => new Worker(trusted(HIGHLIGHTER));
