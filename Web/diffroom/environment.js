/** The environment of a client: sockets, clocks, timers and transfers. */

/** The environment of the client; tests bring their own. */
export const browser = {
  WebSocket: globalThis.WebSocket,
  now: () => performance.now(),
  random: Math.random,
  after: (delay, action) => setTimeout(action, delay),
  cancel: (timer) => clearTimeout(timer),
  fetch: globalThis.document && ((url, options) => fetch(url, options)),
  subtle: globalThis.crypto?.subtle,
  transfer: globalThis.XMLHttpRequest ? transferByPage : transferByFetch,
};

/** Makes a request over HTTP in a browser, which reports the bytes that it has sent. Rejects if there is no answer. */
function transferByPage(method, url, { headers, body, signal, onprogress }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const name in headers) request.setRequestHeader(name, headers[name]);
    request.upload.onprogress = ({ loaded }) => onprogress(loaded);
    // A browser complains of `getResponseHeader` for one that another origin does not let it read.
    const offset = () => /^upload-offset: *(\d+)/im.exec(request.getAllResponseHeaders())?.[1] ?? null;
    request.onload = () => resolve({ status: request.status, offset: offset(), text: request.responseText });
    request.onerror = request.onabort = reject;
    signal.addEventListener('abort', () => request.abort());
    request.send(body);
  });
}

/** The same in Node, where no progress is reported. */
async function transferByFetch(method, url, { headers, body, signal }) {
  const request = { method, headers, body, signal };
  const answer = await fetch(url, request);
  return { status: answer.status, offset: answer.headers.get('upload-offset'), text: await answer.text() };
}

/**
 * Returns why the server refuses this page's origin; `undefined` when it does not. A browser does not tell a page why a
 * WebSocket could not open, but the page may read the server's refusal of a plain request.
 */
export async function originRefused(url, env) {
  try {
    const answer = await env.fetch?.(url.replace(/^ws/i, 'http'), { cache: 'no-store', credentials: 'omit' });
    return answer?.status === 403 ? (await answer.text()).trim() : undefined;
  } catch {
    return undefined; // it cannot be reached, or has an answer that is not for this page: the network decides
  }
}
