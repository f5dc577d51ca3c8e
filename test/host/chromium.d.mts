import type { Browser } from 'playwright-core';

export const flagForTests: string;
export function findChromium(): string | undefined;
export function launchChromium(): Promise<Browser>;
