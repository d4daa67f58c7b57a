/** The picker of emoji: those at hand, and all others behind a search, in the skin tone that the user likes. */

import { $, element, typesOnScreen } from './elements.js';
import { TONES, chosenTone, emojisNamed, inTone, loadEmojis } from './emojinames.js';

const AT_HAND = ['👍', '❤️', '😂', '🎉', '😮', '😢', '🙏', '👀'];
const EDGE = 8; // px that stay free at the window's edges
const MOST_FOUND = 64;
const MOST_RECENT = 16;
const TONE_NAMES = ['No skin tone', 'Light', 'Medium-light', 'Medium', 'Medium-dark', 'Dark'];

export class EmojiPicker {
  #page;
  #picker = $('picker');
  #search = $('picker-search');
  #found = $('picker-found');
  #table = []; // rows, once they are loaded
  #what; // for which an emoji is picked
  #anchor; // the place of what it stands beside, which may go when the focus does

  /** @param page `me()`, and `kept`, which keeps the tone and the recent emoji */
  constructor(page) {
    this.#page = page;
    this.#picker.addEventListener('click', ({ target }) => this.#clicked(target.closest('button')));
    this.#picker.addEventListener('keydown', (event) => this.#pressed(event));
    this.#picker.addEventListener('toggle', ({ newState }) => newState === 'closed' && this.#what.onClose());
    this.#search.addEventListener('input', () => this.#offer());
    addEventListener('resize', () => this.#picker.matches(':popover-open') && this.#place());
  }

  /**
   * Opens the picker.
   *
   * @param what its `label`; `isWhole`, whether it begins with all emoji instead of those at hand; `own`, short names that the server
   * takes besides; the `anchor`, beside which it stands; `onPick(emoji)`; and `onClose()`, which gives the focus back
   */
  open(what) {
    const picker = this.#picker;
    this.#what = what;
    this.#anchor = what.anchor.getBoundingClientRect();
    picker.ariaLabel = what.label;
    const more = element('button', { type: 'button', ariaLabel: 'All emoji', title: 'All emoji', dataset: { all: '' } }, $('dots').content.cloneNode(true));
    picker.replaceChildren(...(what.isWhole ? [] : [...[...AT_HAND, ...what.own].map((emoji) => option(emoji, emoji)), more]), $('picker-all'));
    $('picker-all').hidden = true;
    picker.showPopover();
    if (what.isWhole) this.#showAll();
    else picker.firstChild.focus();
    this.#place();
  }

  #place() {
    const anchor = this.#anchor;
    const { width, height } = this.#picker.getBoundingClientRect();
    const above = anchor.top - height - 6;
    const top = above > 0 ? above : anchor.bottom + 6;
    this.#picker.style.top = `${Math.max(EDGE, Math.min(top, innerHeight - height - EDGE))}px`;
    this.#picker.style.left = `${Math.max(EDGE, Math.min(anchor.right - width, innerWidth - width - EDGE))}px`;
  }

  // All emoji

  async #showAll() {
    $('picker-all').hidden = false;
    this.#search.value = '';
    this.#offer();
    this.#place();
    if (typesOnScreen()) this.#found.querySelector('button')?.focus();
    else this.#search.focus();
    try {
      this.#table = await loadEmojis();
    } catch {
      $('picker-none').textContent = 'The emoji cannot be loaded now.';
    }
    if ($('picker-all').hidden) return;
    this.#offer();
    this.#place();
  }

  /** Shows the emoji with the typed name; without one, all in their groups. */
  #offer() {
    const typed = this.#search.value.trim();
    const tone = chosenTone();
    const parts = typed ? [['Found', this.#named(typed, tone)]] : [['Recent', this.#recent.map((emoji) => option(emoji, this.#nameOf(emoji)))], ...groups(this.#table, tone)];
    this.#found.replaceChildren(...parts.filter(([, options]) => options.length).map(([title, options]) => element('section', { ariaLabel: title }, element('h3', {}, title), ...options)));
    this.#found.scrollTop = 0;
    $('picker-none').hidden = !typed || this.#found.childElementCount > 0;
    $('picker-tones').replaceChildren(...TONES.map((one, index) => toneButton(one, TONE_NAMES[index], one === tone)));
  }

  #named(typed, tone) {
    const own = (this.#what.own ?? []).filter((name) => name.includes(typed.toLowerCase()));
    return [...own.map((name) => option(name, name)), ...emojisNamed(this.#table, typed, MOST_FOUND).map((row) => option(inTone(row, tone), row[1]))];
  }

  #nameOf(emoji) {
    return this.#table.find((row) => TONES.some((tone) => inTone(row, tone) === emoji))?.[1] ?? emoji;
  }

  // Picking

  #clicked(button) {
    if (!button) return;
    const { all, emoji, tone } = button.dataset;
    if (all !== undefined) this.#showAll();
    if (tone !== undefined) this.#setTone(tone);
    if (emoji) this.#pick(emoji);
  }

  #setTone(tone) {
    this.#page.kept.set('tone', tone);
    this.#offer();
    $('picker-tones').querySelector('[aria-pressed=true]').focus();
  }

  #pick(emoji) {
    this.#page.kept.set(this.#key, JSON.stringify([...new Set([emoji, ...this.#recent])].slice(0, MOST_RECENT)));
    this.#picker.hidePopover();
    this.#what.onPick(emoji);
  }

  get #key() {
    return `emojis ${this.#page.me()}`;
  }

  /** The emoji that the user has picked last in this browser. @returns {string[]} */
  get #recent() {
    try {
      const kept = JSON.parse(this.#page.kept.get(this.#key) ?? '[]');
      return kept.filter((emoji) => typeof emoji === 'string' && !emoji.startsWith(':'));
    } catch {
      return []; // not ours
    }
  }

  // Keys

  #pressed(event) {
    const { key, target } = event;
    const isSearch = target === this.#search;
    if (isSearch && key === 'Enter' && this.#search.value.trim()) this.#found.querySelector('button')?.click();
    const next = isSearch ? key === 'ArrowDown' && this.#found.querySelector('button') : this.#beside(target, key);
    if (isSearch && key === 'Enter') event.preventDefault();
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.scrollIntoView({ block: 'nearest' });
  }

  /** Returns the button to which a key goes from another one. */
  #beside(button, key) {
    const all = [...button.parentNode.querySelectorAll(':scope > button')];
    if (!this.#found.contains(button)) return { ArrowRight: all[(all.indexOf(button) + 1) % all.length], ArrowLeft: all.at(all.indexOf(button) - 1) }[key];
    const [before, after] = [buttonsOf(button.parentNode.previousSibling), buttonsOf(button.parentNode.nextSibling)];
    const columns = getComputedStyle(button.parentNode).gridTemplateColumns.split(' ').length;
    const [at, last] = [all.indexOf(button), all.length - 1];
    const [column, rowOf] = [at % columns, (index) => Math.floor(index / columns)];
    const below = () => all[rowOf(at) < rowOf(last) ? Math.min(at + columns, last) : NaN] ?? after[Math.min(column, after.length - 1)];
    const above = () => all[at - columns] ?? before[Math.min(rowOf(before.length - 1) * columns + column, before.length - 1)] ?? this.#search;
    return { ArrowRight: () => all[at + 1] ?? after[0], ArrowLeft: () => all[at - 1] ?? before.at(-1), ArrowUp: above, ArrowDown: below }[key]?.();
  }
}

/** Makes a button put emoji into a text field, where its caret is. */
export function putEmojis(field, button, picker) {
  button.addEventListener('click', () =>
    picker.open({
      label: 'Emoji',
      isWhole: true,
      anchor: button,
      onPick(emoji) {
        field.setRangeText(emoji, field.selectionStart, field.selectionEnd, 'end');
        field.dispatchEvent(new Event('input', { bubbles: true }));
      },
      onClose: () => field.focus(),
    }),
  );
}

const buttonsOf = (section) => [...(section?.querySelectorAll('button') ?? [])];

const option = (emoji, name) => element('button', { type: 'button', ariaLabel: name, title: name, dataset: { emoji } }, emoji);

const toneButton = (tone, name, isChosen) => element('button', { type: 'button', ariaLabel: name, title: name, ariaPressed: String(isChosen), dataset: { tone } }, `✋${tone}`);

/** Returns the groups of a table, as `[title, buttons]`. */
function groups(table, tone) {
  const all = [];
  for (const row of table) {
    if (row[4]) all.push([row[4], []]);
    all.at(-1)?.[1].push(option(inTone(row, tone), row[1]));
  }
  return all;
}
