/** The facts that a message has about its pictures, videos and audio: their size, their length, and a tiny preview. */

import { element } from './elements.js';
import { shownAs } from './files.js';

const PREVIEW = 24; // px of the longer side
const MOST_PREVIEW = 2_048; // bytes in base64
const THUMBNAIL = 88; // px: twice as many as it has on the screen
const PATIENCE = 5_000; // ms for a video to show its first frame
const FIRST_FRAME = 0.1; // s

/**
 * Returns the facts about a file. They are empty if the browser does not have its format.
 *
 * @returns {Promise<{ facts: object, thumbnail?: HTMLCanvasElement }>}
 */
export async function factsOf(file) {
  const kind = shownAs(file.type);
  try {
    if (kind === 'picture') return ofPicture(await createImageBitmap(file));
    if (kind !== 'card') return await ofMedia(file, kind);
  } catch {
    // The file is sent without them.
  }
  return { facts: {} };
}

function ofPicture(source, { width, height } = source) {
  const preview = previewOf(source, width, height);
  const thumbnail = drawn(source, THUMBNAIL / Math.min(width, height), width, height);
  source.close?.();
  return { facts: { width, height, ...(preview && { preview }) }, thumbnail };
}

/** Returns a canvas with a picture, which is made smaller and not larger. */
function drawn(source, scale, width, height) {
  const side = (length) => Math.max(1, Math.round(length * Math.min(scale, 1)));
  const canvas = element('canvas', { width: side(width), height: side(height) });
  canvas.getContext('2d').drawImage(source, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** Returns a tiny picture in base64: as WebP or, in a browser that writes none, as JPEG. */
function previewOf(source, width, height) {
  const canvas = drawn(source, PREVIEW / Math.max(width, height), width, height);
  const webp = canvas.toDataURL('image/webp', 0.5);
  const [, base64] = (webp.startsWith('data:image/webp') ? webp : canvas.toDataURL('image/jpeg', 0.5)).split(',');
  return base64.length <= MOST_PREVIEW ? base64 : undefined;
}

/** Loads a video as far as its first frame, or the length of audio. */
async function ofMedia(file, kind) {
  const player = element(kind, { preload: 'auto', muted: true, src: URL.createObjectURL(file) });
  try {
    await event(player, 'loadedmetadata');
    const { duration: seconds, videoWidth, videoHeight } = player;
    const duration = Number.isFinite(seconds) && seconds > 0 ? { duration: Math.ceil(seconds * 1_000) } : {};
    if (!videoWidth) return { facts: duration };
    const { facts, thumbnail } = await firstFrame(player, { width: videoWidth, height: videoHeight });
    return { facts: { ...facts, ...duration }, thumbnail };
  } finally {
    URL.revokeObjectURL(player.src);
  }
}

/** Draws a video's first frame; without one only its size is known. */
async function firstFrame(player, size) {
  try {
    player.currentTime = Math.min(FIRST_FRAME, player.duration / 2 || 0);
    await event(player, 'seeked');
    return ofPicture(player, size);
  } catch {
    return { facts: size, thumbnail: undefined };
  }
}

const event = (target, name) =>
  new Promise((resolve, reject) => {
    target.addEventListener(name, resolve, { once: true });
    target.addEventListener('error', reject, { once: true });
    setTimeout(reject, PATIENCE);
  });

/** Draws a preview into a canvas; nothing if it is none. */
export async function drawPreview(canvas, preview) {
  try {
    const bytes = Uint8Array.from(atob(preview), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    Object.assign(canvas, { width: bitmap.width, height: bitmap.height });
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    bitmap.close();
  } catch {
    canvas.remove();
  }
}
