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
  return {
    get: (key) => attempt(() => window[area].getItem(`diffroom.${key}`)) ?? here.get(key),
    set(key, value) {
      here.set(key, value);
      attempt(() => window[area].setItem(`diffroom.${key}`, value));
    },
  };
}
