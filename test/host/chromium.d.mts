import type { Browser } from 'playwright-core';

export const disabledFeatures: string;
export const flagForTests: string;
export function findChromium(): string | undefined;
export function requireChromium(): string;
export function launchChromium(): Promise<Browser>;
