import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

let timer: ReturnType<typeof setInterval> | undefined;

/** The current time, updated once a second and only while observed: an idle page costs nothing. */
const now = signal(Date.now(), {
  watched() {
    this.value = Date.now();
    timer = setInterval(() => (this.value = Date.now()), 1000);
  },
  unwatched() {
    clearInterval(timer);
  },
});

export const clock: ReadonlySignal<number> = now;
