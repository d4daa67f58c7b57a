/** The names of people that are typed into a field. */

/** Returns the names in a text such as `@bob, cid`, each once. A name may have spaces in it. */
export function namesIn(text) {
  const names = text.split(/[,;，；、\n]/u).map((name) => name.trim().replace(/^[@＠]\s*/u, '').normalize());
  return [...new Set(names.filter(Boolean))];
}

/** Returns a warning about names of people whom the page has not shown yet; nothing if it knows all. */
export function doubtful(names, isKnown) {
  const unknown = names.filter((name) => !isKnown(name));
  return unknown.length ? `The page does not know ${unknown.join(', ')} yet: check the spelling.` : '';
}
