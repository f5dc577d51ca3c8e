import type { Sound } from '../../shared/protocol/chatPageProtocol';

/** Frequencies in hertz, played in sequence: rising for a request, falling for an end. */
const NOTES: Readonly<Record<Sound, readonly number[]>> = { waiting: [587.33, 880], finished: [659.25, 523.25] };
/** In seconds. */
const NOTE_SECONDS = 0.16;
/** 0 to 1. */
const VOLUME = 0.12;

/**
 * Plays a short synthesized sound. Chromium allows sound only after a click or key in the page; before, it stays
 * silent.
 */
export async function playSound(sound: Sound): Promise<void> {
  const context = new AudioContext();
  try {
    // Never settles while the page may not play sound.
    if (context.state !== 'running' && !navigator.userActivation.hasBeenActive) return;
    await context.resume();
    await Promise.all(NOTES[sound].map((frequency, index) => playNote(context, frequency, index * NOTE_SECONDS)));
  } finally {
    await context.close();
  }
}

/**
 * Settles when the note has ended.
 * @param after seconds to wait
 */
function playNote(context: AudioContext, frequency: number, after: number): Promise<void> {
  const start = context.currentTime + after;
  const tone = new OscillatorNode(context, { type: 'sine', frequency });
  const strength = new GainNode(context, { gain: 0 });
  tone.connect(strength).connect(context.destination);
  // Ramps avoid clicks at the start and end of each note.
  strength.gain.setValueAtTime(0, start);
  strength.gain.linearRampToValueAtTime(VOLUME, start + 0.02);
  strength.gain.exponentialRampToValueAtTime(0.001, start + NOTE_SECONDS);
  tone.start(start);
  tone.stop(start + NOTE_SECONDS);
  return new Promise((resolve) => {
    tone.addEventListener('ended', () => resolve(), { once: true });
  });
}
