import type { Sound } from '../../shared/protocol/chatPageProtocol';

/** Frequencies in hertz, played one after the other: rising asks for something, falling says that it is over. */
const NOTES: Readonly<Record<Sound, readonly number[]>> = { waiting: [587.33, 880], finished: [659.25, 523.25] };
/** Seconds. */
const NOTE = 0.16;
/** Of full strength, 0 to 1. */
const VOLUME = 0.12;

/**
 * Plays a short sound, made here: no file is loaded. Chromium lets a page make one only after a click or a key in it; until then
 * nothing is heard.
 */
export async function playSound(sound: Sound): Promise<void> {
  const context = new AudioContext();
  try {
    // Never settles while the page may not make a sound yet.
    if (context.state !== 'running' && !navigator.userActivation.hasBeenActive) return;
    await context.resume();
    await Promise.all(NOTES[sound].map((frequency, index) => playNote(context, frequency, index * NOTE)));
  } finally {
    await context.close();
  }
}

/** @param after seconds to wait. Settles when the note is over. */
function playNote(context: AudioContext, frequency: number, after: number): Promise<void> {
  const start = context.currentTime + after;
  const tone = new OscillatorNode(context, { type: 'sine', frequency });
  const strength = new GainNode(context, { gain: 0 });
  tone.connect(strength).connect(context.destination);
  // Without the slopes each note would begin and end with a click.
  strength.gain.setValueAtTime(0, start);
  strength.gain.linearRampToValueAtTime(VOLUME, start + 0.02);
  strength.gain.exponentialRampToValueAtTime(0.001, start + NOTE);
  tone.start(start);
  tone.stop(start + NOTE);
  return new Promise((resolve) => {
    tone.addEventListener('ended', () => resolve(), { once: true });
  });
}
