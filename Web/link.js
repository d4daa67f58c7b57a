/** The state of the connection: in the bar with the server's latency, and above the messages while there is none. */

import { $, countDownIn } from './elements.js';

const PING_EVERY = 10_000; // ms
const SLOW = 500; // ms of latency that a person in a conversation can feel

export class Link {
  #chat;
  #countdown;
  #reason = ''; // why the last connection ended, as the server gave it

  /** @param chat returns the client, once there is one */
  constructor(chat) {
    this.#chat = chat;
    setInterval(() => this.#measure(), PING_EVERY);
  }

  /** Shows the state, and the latency that was measured last. */
  show(state = document.body.dataset.state) {
    if (state !== document.body.dataset.state) document.body.dataset.state = state;
    if (state === 'online') this.#reason = '';
    const latency = this.#chat()?.latency;
    const isOnline = state === 'online' && latency !== undefined;
    const took = latency < 1000 ? `${Math.max(Math.round(latency), 1)} ms` : `${(latency / 1000).toFixed(1)} s`;
    $('link-text').textContent = isOnline ? took : { waiting: 'offline', stopped: 'offline' }[state] ?? 'connecting';
    $('link').title = isOnline ? `Connected; the server answers in ${took}` : 'Not connected';
    $('link').toggleAttribute('data-slow', isOnline && latency >= SLOW);
  }

  #measure() {
    if (document.hidden || document.body.dataset.state !== 'online') return;
    this.show();
    this.#chat().hurry();
  }

  /** Tells what to know above the messages, with a button if there is something to do; nothing ends that. */
  tell(text, does, act) {
    clearInterval(this.#countdown);
    $('state').hidden = !text;
    $('state-text').textContent = text ?? '';
    $('state-button').hidden = !does;
    $('state-button').textContent = does ?? '';
    $('state-button').onclick = act;
  }

  /** Shows why there is no connection, if the server gave a reason, and the seconds until the next try. */
  countDown(delay, reason) {
    const until = performance.now() + delay;
    this.#reason = reason || this.#reason; // a try without an answer has no reason
    const say = () => {
      const seconds = Math.ceil((until - performance.now()) / 1000);
      const lost = this.#reason ? `Connection lost: ${this.#reason}` : 'Connection lost';
      const why = navigator.onLine ? lost : 'You are offline';
      countDownIn($('state-text'), `${why} – trying again`, seconds > 1 ? seconds : 0);
    };
    this.tell(' ', 'Now', () => this.#chat().hurry());
    say();
    this.#countdown = setInterval(say, 1000);
  }
}
