/** The sound of what calls the user: two soft tones. */

const TONES = [660, 880]; // Hz
const LENGTH = .16; // seconds of each
const LOUDNESS = .07;
const ONCE = 1_500; // ms in which the tabs of this browser ring once

let audio;

/** Rings, unless another tab has just done so; `kept` is shared by the tabs. A browser may allow no sound before the user has done something. */
export function ring(kept) {
  if (Math.abs(Date.now() - Number(kept.get('rung') ?? 0)) < ONCE) return;
  kept.set('rung', String(Date.now()));
  audio ??= new AudioContext();
  audio.resume();
  for (const [index, tone] of TONES.entries()) play(tone, audio.currentTime + index * LENGTH);
}

function play(tone, start) {
  const source = audio.createOscillator();
  const volume = audio.createGain();
  source.frequency.value = tone;
  volume.gain.setValueAtTime(LOUDNESS, start);
  volume.gain.exponentialRampToValueAtTime(.001, start + LENGTH);
  source.connect(volume).connect(audio.destination);
  source.start(start);
  source.stop(start + LENGTH);
}
