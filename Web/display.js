/** The user's settings in this browser: how the page looks, its times and dates, and what it notifies of. */

import { $, element } from './elements.js';
import { storage } from './storage.js';

const kept = storage('localStorage');
const LOOKS = ['theme', 'density']; // which hold at once, in all tabs
const TIMES = ['hours', 'language']; // with which all times are drawn again
const LANGUAGES = ['ar', 'cs', 'de', 'el', 'en-GB', 'en-US', 'es', 'fr', 'he', 'hi', 'it', 'ja', 'ko', 'nl', 'pl', 'pt-BR', 'ru', 'sv', 'th', 'tr', 'uk', 'zh-Hans'];
const metas = /** @type {NodeListOf<HTMLMetaElement>} */ (document.querySelectorAll('meta[name=theme-color]'));
const usual = [...metas].map(({ content }) => content);

/** The dialog with the settings. */
export class Display {
  #notifier;

  /** @param notifier returns what notifies: `isOn`, its `problem`, and `set(isOn)` */
  constructor(notifier) {
    this.#notifier = notifier;
    show();
    $('show-display').addEventListener('click', () => this.open());
    $('display-close').addEventListener('click', () => $('display').close());
    $('display-form').addEventListener('submit', (event) => event.preventDefault());
    $('display-form').addEventListener('change', ({ target }) => this.#change(target.name, target.value));
    addEventListener('storage', ({ key }) => LOOKS.some((name) => key === `diffroom.${name}`) && show());
  }

  open() {
    $('menu').hidePopover();
    const { elements } = $('display-form');
    offerLanguages(elements.language);
    for (const name of [...LOOKS, ...TIMES, 'sound']) elements[name].value = kept.get(name) ?? '';
    this.#showNotifications();
    $('display').showModal();
  }

  async #change(name, value) {
    if (name === 'notify') {
      await this.#notifier().set(value === 'on');
      return this.#showNotifications();
    }
    if (value) kept.set(name, value);
    else kept.delete(name);
    if (TIMES.includes(name)) return location.reload(); // drafts and what waits to be sent stay
    return show();
  }

  #showNotifications() {
    const { isOn, problem } = this.#notifier();
    const { notify } = $('display-form').elements;
    notify.value = isOn ? 'on' : '';
    notify.disabled = Boolean(problem);
    $('display-said').textContent = problem;
  }
}

/** Offers the languages by their own names. */
function offerLanguages(select) {
  if (select.options.length > 1) return;
  const nameOf = (code) => new Intl.DisplayNames(code, { type: 'language', languageDisplay: 'standard' }).of(code);
  select.append(...LANGUAGES.map((code) => element('option', { value: code, lang: code }, nameOf(code))));
}

/** Gives the document the settings as attributes, by which the style sheet knows them. */
function show() {
  const { dataset } = document.documentElement;
  for (const name of LOOKS) {
    if (kept.get(name)) dataset[name] = kept.get(name);
    else delete dataset[name];
  }
  const colour = dataset.theme && getComputedStyle(document.body).backgroundColor;
  for (const [index, meta] of metas.entries()) meta.content = colour || usual[index];
}
