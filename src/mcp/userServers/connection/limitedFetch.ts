import type { Clock } from '../../../base/clock';
import { InboundLimits } from './inboundLimits';

/** Milliseconds for one complete response: more than any tool may run. */
const MAX_RESPONSE_MS = 11 * 60_000;
/** Statuses without a body. */
const WITHOUT_BODY = new Set([101, 103, 204, 205, 304]);

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * `fetch` with limits on incoming responses (docs/security.md, row 13).
 * @param onCutOff Called with the reason when a response was cut off.
 */
export function limitedFetch(clock: Pick<Clock, 'elapsed'>, onCutOff: (problem: string) => void): Fetch {
  return async (url, init) => {
    const isStream = (init?.method ?? 'GET') === 'GET';
    const late = isStream ? [] : [AbortSignal.timeout(MAX_RESPONSE_MS)];
    const signal = AbortSignal.any([...(init?.signal ? [init.signal] : []), ...late]);
    const response = await fetch(url, { ...init, signal });
    const { body, status, statusText, headers } = response;
    if (!body || status < 200 || WITHOUT_BODY.has(status)) return response;
    const isEvents = headers.get('content-type')?.includes('text/event-stream') === true;
    const guard = new InboundLimits(isEvents ? 'event' : 'body', clock);
    const checked = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const problem = guard.check(chunk);
        if (problem === undefined) {
          controller.enqueue(chunk);
          return;
        }
        onCutOff(problem);
        controller.error(new Error(problem));
      },
    });
    return new Response(body.pipeThrough(checked), { status, statusText, headers });
  };
}
