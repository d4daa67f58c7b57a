/** The user of the page: their name, or a token that has it, and the question for one of them. */

import { $ } from './elements.js';
import { paintFace } from './faces.js';
import { ask } from './question.js';

const LONGEST_NAME = 64; // bytes

/** The name of a user whose token does not tell it, until the server does. */
export const UNKNOWN = '…';

export class User {
  name;
  #page;
  #brought; // a token that a link brought and that is another person's than the page's

  /** @param page `chat()`, once there is one; `onName(name)`, with the first one; `onSignOut()`, which may take a while; `kept` keeps the name, and `tab` the token */
  constructor(page) {
    this.#page = page;
    const brought = takeToken();
    this.name = this.#person();
    if (brought && this.name && subjectOf(brought) !== this.name) this.#brought = brought;
    else if (brought) this.#become(brought);
    addEventListener('hashchange', () => location.reload());
    // A page without a name has no room to show behind the question.
    $('name-dialog').addEventListener('cancel', (event) => {
      if (!page.chat() || page.chat().state === 'stopped') event.preventDefault();
    });
    $('name-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    $('me').addEventListener('click', () => this.ask());
    $('sign-out').addEventListener('click', () => this.#signOut());
  }

  get token() {
    return this.#page.tab.get('token');
  }

  /** Returns who the user of this tab is; or, as far as this browser knows, who it was. */
  #person() {
    return (this.token && subjectOf(this.token)) || (this.#page.kept.get('name') ?? '');
  }

  #become(token) {
    this.#page.tab.set('token', token);
    this.name = subjectOf(token) ?? '';
  }

  /** Begins with the name of an earlier page, or asks for one. A link changes the user only with their consent. */
  async begin() {
    if (this.#brought && (await this.#wantsToBecome(subjectOf(this.#brought)))) {
      this.#become(this.#brought);
      return location.reload(); // the page shows the earlier person's rooms and draft
    }
    if (this.name || this.token) this.#page.onName(this.name || UNKNOWN);
    else this.ask();
  }

  #wantsToBecome(other = 'the person of this link') {
    const text = `You are ${this.name}. This link signs you in as ${other}: what you write then is theirs, and whoever made the link may read it.`;
    return ask({ title: `Become ${other}?`, text, no: `Stay ${this.name}`, yes: `Become ${other}` });
  }

  /** Applies the name from the server, which sends it for a token. */
  call(name) {
    this.name = name;
    $('me').querySelector('bdi').textContent = name;
    paintFace($('me').querySelector('.avatar'), name);
  }

  /** Asks for a name, or for a token where names come from tokens. */
  ask(problem, wantsToken = Boolean(this.token)) {
    $('name-title').textContent = wantsToken ? 'Your token, please' : 'What shall people call you?';
    for (const [id, isOther] of Object.entries({ 'name-input': wantsToken, 'token-input': !wantsToken })) {
      $(id).hidden = $(id).disabled = isOther;
    }
    $('sign-out').hidden = !this.#page.chat();
    $('name-error').hidden = !problem;
    $('name-error').textContent = problem ?? '';
    $('name-input').value = this.name;
    $('name-dialog').showModal();
    $(wantsToken ? 'token-input' : 'name-input').select();
  }

  /** Leaves nothing of this person to the next one who uses the browser. */
  async #signOut() {
    const { kept, onSignOut, tab } = this.#page;
    await onSignOut();
    tab.delete('token');
    kept.delete('name');
    location.replace('./');
  }

  #submit() {
    const { chat, kept, onName, tab } = this.#page;
    if (!$('token-input').disabled) {
      tab.set('token', $('token-input').value.trim());
      return location.reload();
    }
    const name = $('name-input').value.trim().normalize();
    if (!name) return;
    if (new TextEncoder().encode(name).length > LONGEST_NAME) return this.ask(`A name has at most ${LONGEST_NAME} bytes.`);
    kept.set('name', name);
    if (chat()) return location.reload();
    $('name-dialog').close();
    onName(name);
  }
}

/** Takes a token from the fragment, which browsers send to no server, and removes it from the address bar at once. */
function takeToken() {
  const brought = new URLSearchParams(location.hash.slice(1)).get('token');
  if (brought) history.replaceState(null, '', location.pathname + location.search);
  return brought;
}

/** Returns whom a token is for, as it says itself: the server has the last word. Nothing if it says nothing. */
function subjectOf(token) {
  try {
    const claims = atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'));
    const text = new TextDecoder().decode(Uint8Array.from(claims, (character) => character.charCodeAt(0)));
    return JSON.parse(text).sub.normalize();
  } catch {
    return undefined;
  }
}
