/**
 * The worker that colours code. It is served as one file behind the library, highlight.js. `{id, language, code}` is answered with
 * `{id, markup}`, which is missing for a language that the library does not know.
 */

const library = /** @type {any} */ (globalThis).hljs;

addEventListener('message', ({ data: { id, language, code } }) => {
  const isKnown = Boolean(library.getLanguage(language));
  postMessage({ id, markup: isKnown ? library.highlight(language, code, true).value : undefined });
});
postMessage({ isReady: true });
