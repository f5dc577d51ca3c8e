import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { defined } from '../../base/assert';
import type { PageMessage } from '../../shared/messages';
import type { PageMemory } from '../host';
import type { Store } from '../store';

/** What every part of the page can reach. */
export interface PageContext {
  readonly store: Store;
  readonly post: (message: PageMessage) => void;
  readonly report: (error: unknown) => void;
  readonly memory: { load(): PageMemory; save(memory: PageMemory): void };
  /** Commands of the host to parts of the page, each set by the part while it is shown. */
  readonly focus: {
    composer?: () => void;
    insert?: (text: string) => void;
    fill?: (session: string, text: string, remarks: readonly string[]) => void;
    reveal?: (entry: number) => void;
  };
}

export const Page = createContext<PageContext | undefined>(undefined);

export function usePage(): PageContext {
  return defined(useContext(Page), 'page context');
}
