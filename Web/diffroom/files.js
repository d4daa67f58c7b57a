/** The files of messages. */

import { hexOf } from './identifiers.js';
import { asking } from './requests.js';
import { fileName } from './text.js';
import { unlessAborted, uploadBy, uploadSteps } from './uploads.js';

const MOST_LINKS = 100; // the number of files that one request can ask the links of

/** Returns the SHA-256 of a file as hexadecimal digits. */
async function hashOf(file, { subtle }) {
  if (!subtle) throw Error('Files need https: over plain http, browsers compute no checksums.');
  return hexOf(new Uint8Array(await subtle.digest('SHA-256', await file.arrayBuffer())));
}

/** Returns the request for an upload. */
async function uploadFrame(room, message, file, env) {
  const media = /^[\w.+-]+\/[\w.+-]+/.exec(file.type)?.[0].toLowerCase() ?? 'application/octet-stream';
  return { type: 'upload', room, message, name: fileName(file.name), media, size: file.size, sha256: await hashOf(file, env) };
}

/** Returns the permit of an answer, with whole addresses. `headers` and `confirm` are missing unless the bytes go to a store. */
const permitOf = ({ url, headers, confirm }, absolute) => ({ url: absolute(url), headers, confirm: absolute(confirm) });

/** The files of messages. */
export function filesOf(env, link, url) {
  const ask = asking(link);
  const absolute = (path) => path && new URL(path, url.replace(/^ws/i, 'http')).href;
  let waiting = []; // for a connection

  const online = () => link.online() || new Promise((resolve) => waiting.push(resolve));

  /** Asks for the permit of an upload, again on each connection until there is an answer. */
  async function open(frame, isWanted) {
    await online();
    try {
      return permitOf(await ask(frame, 'url', isWanted), absolute);
    } catch (error) {
      if (error.error || !isWanted()) throw error;
      return open(frame, isWanted);
    }
  }

  async function upload(room, message, file, options = /** @type {any} */ ({})) {
    const { signal } = options;
    const frame = await unlessAborted(signal, uploadFrame(room, message, file, env));
    return uploadBy(uploadSteps(env, file, options, () => open(frame, () => !signal?.aborted)), file.size);
  }

  async function links(room, files) {
    const named = files.map(({ message, id }) => ({ message, id }));
    const urls = [];
    while (named.length) urls.push(...(await ask({ type: 'links', room, files: named.splice(0, MOST_LINKS) }, 'urls')).urls.map(absolute));
    return urls;
  }

  /** Continues what waited for a connection. */
  function welcomed() {
    const those = waiting;
    waiting = [];
    for (const resolve of those) resolve();
  }

  return { files: { welcomed }, transfers: { upload, links } };
}
