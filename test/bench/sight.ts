import type { PageWindow } from '../page/pageWindow';

/** What a frame of the window has seen, in milliseconds since 1970. In the window, `pressed` is its last click or key. */
export interface Sight {
  pressed: number;
  readonly steps: Record<string, number>;
}

export type SightWindow = PageWindow<{ sight: Sight }>;

/** Runs in each frame from its start. The window notes its parts; the document of a view notes what it shows and whether it takes keys. */
export function watchSight(): void {
  const side = globalThis as SightWindow;
  const steps: Record<string, number> = {};
  side.sight = { pressed: 0, steps };
  const now = (): number => performance.timeOrigin + performance.now();
  const note = (name: string, isSo: boolean | undefined, time = now()): void => {
    if (isSo) steps[name] ??= time;
  };
  const isShown = (element: Element | null | undefined): boolean =>
    element?.checkVisibility({ visibilityProperty: true }) === true;
  const press = ({ timeStamp }: Event): void => {
    for (const name of Object.keys(steps)) delete steps[name];
    side.sight.pressed = performance.timeOrigin + timeStamp;
  };
  const lookAtWindow = (): void => {
    note('side bar', isShown(document.querySelector('.part.auxiliarybar')));
    for (const frame of document.querySelectorAll<HTMLIFrameElement>('iframe.webview')) {
      const [, owner = ''] = /extensionId=([\w.]+)/.exec(frame.src) ?? [];
      note(`frame of ${owner}`, true);
      note(`${owner} shown`, isShown(frame));
    }
  };
  const isSight = (): boolean => isShown(window.frameElement) && isShown(window.parent.frameElement);
  let isHeard = false;
  const lookAtView = (): void => {
    if (!isHeard && document.getElementById('root')) {
      isHeard = true;
      window.addEventListener('message', ({ data }: MessageEvent<{ type?: unknown }>) =>
        note(`message ${String(data?.type)}`, true),
      );
    }
    const box = document.querySelector('textarea');
    note('document', isHeard || box !== null, performance.timeOrigin);
    note('content', isHeard || box !== null);
    if (!isSight()) return;
    note('something', isShown(document.querySelector('.opening, .app, textarea')));
    note('conversation', isShown(document.querySelector('.slot, .empty')));
    note('box', isShown(box));
    note('keys', isShown(box) && document.activeElement === box && document.hasFocus());
  };
  if (window === window.top) {
    for (const type of ['mousedown', 'keydown']) window.addEventListener(type, press, { capture: true });
    const look = (): void => {
      lookAtWindow();
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  } else if (window.parent !== window.top) {
    // A document that is written into the frame keeps timers only.
    setInterval(lookAtView, 4);
  }
}

/** Runs in a frame. */
export function readSight(): Sight & { readonly scripts: Record<string, number> } {
  const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
  const loaded = entries.map(({ name, responseEnd }) => [name.split('/').at(-1), performance.timeOrigin + responseEnd]);
  return { ...(globalThis as SightWindow).sight, scripts: Object.fromEntries(loaded) as Record<string, number> };
}

/** Runs in a frame. */
export function forgetSight(): void {
  const { steps } = (globalThis as SightWindow).sight;
  for (const name of Object.keys(steps)) delete steps[name];
}
