/** Pictures from elsewhere, of rooms and of people. */

/** Whether the server lets the page load pictures from elsewhere. */
export const SHOWS_PICTURES = document.querySelector('meta[http-equiv=Content-Security-Policy]')?.getAttribute('content').includes('https:') ?? false;

/** The URLs of pictures that did not load. */
export const broken = new Set();

/** Returns whether to show the picture of a URL. */
export const showsPicture = (url) => SHOWS_PICTURES && Boolean(url) && !broken.has(url);
