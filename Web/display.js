/** How the page looks, as the user has set it in this browser: its theme, its density and its times. */

import { $ } from './elements.js';
import { storage } from './storage.js';

const kept = storage('localStorage');
const SETTINGS = ['theme', 'density', 'hours'];
const metas = /** @type {NodeListOf<HTMLMetaElement>} */ (document.querySelectorAll('meta[name=theme-color]'));
const usual = [...metas].map(({ content }) => content);

/** The dialog with the settings, which hold at once, in all tabs. */
export class Display {
  constructor() {
    show();
    $('show-display').addEventListener('click', () => this.open());
    $('display-close').addEventListener('click', () => $('display').close());
    $('display-form').addEventListener('submit', (event) => event.preventDefault());
    $('display-form').addEventListener('change', ({ target }) => change(target.name, target.value));
    addEventListener('storage', ({ key }) => SETTINGS.some((name) => key === `diffroom.${name}`) && show());
  }

  open() {
    $('menu').hidePopover();
    for (const name of SETTINGS) $('display-form').elements[name].value = kept.get(name) ?? '';
    $('display').showModal();
  }
}

function change(name, value) {
  if (value) kept.set(name, value);
  else kept.delete(name);
  if (name === 'hours') location.reload(); // all times are drawn again; drafts and what waits to be sent stay
  else show();
}

/** Gives the document the settings as attributes, by which the style sheet knows them. */
function show() {
  const { dataset } = document.documentElement;
  for (const name of SETTINGS.slice(0, 2)) {
    if (kept.get(name)) dataset[name] = kept.get(name);
    else delete dataset[name];
  }
  const colour = dataset.theme && getComputedStyle(document.body).backgroundColor;
  for (const [index, meta] of metas.entries()) meta.content = colour || usual[index];
}
