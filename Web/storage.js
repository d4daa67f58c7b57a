/** The values that outlive the page. */

/**
 * Values kept in this browser or tab; where storage is not allowed, kept as long as the page is open.
 *
 * @param {'localStorage' | 'sessionStorage'} area
 */
export function storage(area) {
  const here = new Map();
  const attempt = (action) => {
    try {
      return action();
    } catch {
      return undefined;
    }
  };
  const names = () => attempt(() => Object.keys(window[area]).filter((name) => name.startsWith('diffroom.'))) ?? [];
  return {
    get: (key) => here.get(key) ?? attempt(() => window[area].getItem(`diffroom.${key}`)) ?? undefined, // what could not be stored is the newer one
    set(key, value) {
      here.delete(key); // another tab may have changed what is stored since
      try {
        window[area].setItem(`diffroom.${key}`, value);
      } catch {
        here.set(key, value);
      }
    },
    delete(key) {
      here.delete(key);
      attempt(() => window[area].removeItem(`diffroom.${key}`));
    },
    /** The keys that begin with a prefix. */
    keys: (prefix) => [...new Set([...names().map((name) => name.slice('diffroom.'.length)), ...here.keys()])].filter((key) => key.startsWith(prefix)),
  };
}
