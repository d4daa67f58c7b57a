/** The large view of a picture, with the other pictures of its message. */

import { $, element } from './elements.js';
import { drawPreview } from './mediafacts.js';
import { nameOf, sizeInWords } from './files.js';

const STEPS = { ArrowLeft: -1, ArrowRight: 1 };

export class Lightbox {
  #dialog = $('lightbox');
  #message;
  #pictures = [];
  #at = 0;
  #links;

  constructor() {
    const dialog = this.#dialog;
    $('lightbox-close').addEventListener('click', () => dialog.close());
    $('lightbox-before').addEventListener('click', () => this.#go(-1));
    $('lightbox-after').addEventListener('click', () => this.#go(1));
    $('lightbox-save').addEventListener('click', () => this.#save());
    $('lightbox-shown').addEventListener('click', ({ target }) => target === $('lightbox-shown') && dialog.close());
    dialog.addEventListener('keydown', (event) => {
      if (!STEPS[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.#go(STEPS[event.key]);
    });
    dialog.addEventListener('close', () => $('lightbox-shown').replaceChildren());
  }

  /**
   * Shows one of the pictures of a message. The focus returns to where it was when the view is closed.
   *
   * @param message its id
   * @param links the FileLinks of the room
   */
  open(message, pictures, at, links) {
    [this.#message, this.#pictures, this.#at, this.#links] = [message, pictures, at, links];
    this.#dialog.showModal();
    this.#show();
  }

  #go(by) {
    const at = this.#at + by;
    if (!this.#pictures[at]) return;
    this.#at = at;
    this.#show();
  }

  get #picture() {
    return this.#pictures[this.#at];
  }

  async #show() {
    const file = this.#picture;
    const { length } = this.#pictures;
    const place = length > 1 ? `${this.#at + 1} of ${length}, ` : '';
    $('lightbox-name').textContent = nameOf(file);
    $('lightbox-size').textContent = `${place}${sizeInWords(file.size)}`;
    $('lightbox-before').hidden = $('lightbox-after').hidden = length < 2;
    // A button that is disabled would lose the focus.
    $('lightbox-before').ariaDisabled = String(this.#at === 0);
    $('lightbox-after').ariaDisabled = String(this.#at === length - 1);
    const canvas = element('canvas', { ariaHidden: 'true' });
    if (file.width && file.height) canvas.style.aspectRatio = `${file.width} / ${file.height}`;
    $('lightbox-shown').replaceChildren(canvas);
    if (file.preview) drawPreview(canvas, file.preview);
    try {
      const url = await this.#links.urlOf(this.#message, file);
      if (file === this.#picture && this.#dialog.open) this.#load(file, url);
    } catch (error) {
      this.#tell(error);
    }
  }

  #load(file, src) {
    const picture = element('img', { alt: nameOf(file), src });
    picture.addEventListener('load', () => file === this.#picture && $('lightbox-shown').replaceChildren(picture));
    picture.addEventListener('error', () => file === this.#picture && this.#tell(Error('This picture cannot be loaded now.')));
  }

  #tell({ message }) {
    $('lightbox-shown').replaceChildren(element('p', { role: 'alert' }, message || 'This picture cannot be loaded now.'));
  }

  async #save() {
    try {
      await this.#links.save(this.#message, this.#picture);
    } catch (error) {
      this.#tell(error);
    }
  }
}
