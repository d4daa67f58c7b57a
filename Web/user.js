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

  /**
   * @param page `chat()`, once there is one; `onName(name)`, with the first one; `onFirst()` when this browser knew nobody; `onSignOut()`, which
   * may take a while; `room()`, what the room is called to which the address leads; `kept` keeps the name, and `tab` the token
   */
  constructor(page) {
    this.#page = page;
    const brought = takeToken();
    this.name = this.#person();
    if (brought && !this.name) page.onFirst();
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
    const { title, text, does } = this.#wording(wantsToken, problem);
    $('name-title').textContent = title;
    $('name-text').textContent = text;
    $('name-text').hidden = !text;
    $('name-submit').textContent = does;
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

  /** Asks for another name or token: the server has refused this one. */
  refuse(error, reason) {
    const wantsToken = error === 'unauthorized';
    const isRefused = this.token ? 'The server does not accept this token. It may have ended: ask for a fresh one.' : undefined;
    this.ask(wantsToken ? isRefused : reason, wantsToken || undefined);
  }

  /** Returns how the question is put to a person who comes, who is refused, or who wants to be another user. */
  #wording(wantsToken, problem) {
    const isIn = this.#page.chat()?.state === 'online' && !problem;
    if (wantsToken && isIn) return { title: `You are signed in as ${this.name}`, text: 'Another token signs you in as its user, whose rooms are others.', does: 'Sign in' };
    if (wantsToken) return { title: 'Sign in', text: 'This server knows people by a token. The people who run it have one for you: paste it here, or open the link that they sent you.', does: 'Sign in' };
    if (isIn) return { title: `You are ${this.name}`, text: 'Another name is another user, whose rooms are others.', does: 'Change user' };
    const room = this.#page.room();
    return { title: 'What shall people call you?', text: '', does: room ? `Join ${room}` : 'Join' };
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
    const { chat, kept, onFirst, onName, tab } = this.#page;
    if (!this.name) onFirst();
    if (!$('token-input').disabled) {
      tab.set('token', $('token-input').value.trim());
      return this.#beginAnew();
    }
    const name = $('name-input').value.trim().normalize();
    if (!name) return;
    if (new TextEncoder().encode(name).length > LONGEST_NAME) return this.ask(`A name has at most ${LONGEST_NAME} bytes.`);
    kept.set('name', name);
    if (chat()) return this.#beginAnew();
    $('name-dialog').close();
    onName(name);
  }

  /** Begins as another user: in the room of the address if nobody has come to it yet, else in one of that user's. */
  #beginAnew() {
    if (this.#page.chat()?.state === 'online') location.replace('./');
    else location.reload();
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
