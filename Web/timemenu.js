/** The menu of times, and the dialog for another one, with the text of a scheduled message. */

import { serverNow } from './clock.js';
import { $, clock } from './elements.js';
import { faultOf, fieldOf, timesFor } from './latertimes.js';
import { PopupMenu } from './popupmenu.js';

const SOON = 3_600_000; // ms from now: the time with which the dialog begins
const LABELS = { send: 'Send later', remind: 'Remind me' };

/** A menu of times, which hangs on the element that it is opened for. */
export class TimeMenu {
  #menu;

  /** @param menu the element, a popover; one for a dialog is in it */
  constructor(menu) {
    this.#menu = new PopupMenu(menu);
  }

  /**
   * Lets the user choose a time for a purpose, `send` or `remind`.
   *
   * @param {'send' | 'remind'} purpose
   * @param {{ opener: HTMLElement, onChoose: (at: number) => void }} what the `opener`, which has the focus afterwards; `onChoose` gets a time by the server's clock
   * @param {{ x: number, y: number }} point of the window
   */
  open(purpose, { opener, onChoose }, point) {
    const times = timesFor(purpose, serverNow());
    const choices = times.map(({ act, label, at, isClock }) => [act, isClock ? `${label}, ${clock.format(at)}` : label]);
    const choose = async (act) => {
      if (act !== 'other') return onChoose(timesFor(purpose, serverNow()).find((time) => time.act === act)?.at ?? times.find((time) => time.act === act).at);
      const chosen = await askWhen({ title: LABELS[purpose], yes: 'Choose' });
      return chosen && onChoose(chosen.at);
    };
    this.#menu.open({ label: LABELS[purpose], choices: [...choices, ['other', 'Another time…']], onChoose: choose, opener }, point);
  }
}

/** @type {(chosen?: { at: number, text?: string }) => void} */
let answer = () => {};

/**
 * Asks for a time, and for the text if there is one. Resolves to both; to nothing if the user gives up.
 *
 * @param {{ title: string, yes: string, text?: string, at?: number }} what
 * @returns {Promise<{ at: number, text?: string } | undefined>}
 */
export function askWhen({ title, yes, text, at = serverNow() + SOON }) {
  const { elements } = $('time-form');
  $('time-title').textContent = title;
  $('time-yes').textContent = yes;
  $('time-text').hidden = elements.text.disabled = text === undefined;
  elements.text.value = text ?? '';
  elements.at.value = fieldOf(at);
  elements.at.min = fieldOf(serverNow());
  say('');
  $('time-dialog').showModal();
  elements[text === undefined ? 'at' : 'text'].focus();
  return new Promise((resolve) => (answer = resolve));
}

function say(fault) {
  $('time-said').textContent = fault;
  $('time-said').hidden = !fault;
}

$('time-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const { at: field, text } = $('time-form').elements;
  const at = new Date(field.value).getTime();
  const fault = faultOf(at, serverNow()) || (!text.disabled && !text.value.trim() && 'A message needs a text.');
  if (fault) return say(fault);
  $('time-dialog').close();
  answer({ at, text: text.disabled ? undefined : text.value });
});
$('time-no').addEventListener('click', () => $('time-dialog').close());
// Escape closes it, too.
$('time-dialog').addEventListener('close', () => answer());
