/** The page's own files, which a service worker keeps in this browser. */

/** The one address that the page's policy lets it make a script of. */
const WORKER = 'sw.js';

/** Starts the worker of a page that is served as one bundle. The modules by themselves are for work on the page, and are not kept. */
export async function keepShell() {
  if (!('bundled' in document.documentElement.dataset) || !navigator.serviceWorker) return;
  const policy = globalThis.trustedTypes?.createPolicy('diffroom-worker', { createScriptURL: () => WORKER });
  try {
    await navigator.serviceWorker.register(policy?.createScriptURL('') ?? WORKER, { updateViaCache: 'none' });
  } catch {
    // It is not allowed here, such as in a private window: then the page needs the network to begin.
  }
}
