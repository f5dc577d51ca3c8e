import type * as vscode from 'vscode';

/** What VS Code's own viewers show without running anything of it. */
const media = /\.(?:avif|bmp|gif|ico|jpe?g?|png|webp|mp3|oga|ogg|wav|mp4|webm)$/i;

/**
 * Option of `vscode.open` and `vscode.diff` that opens texts of agents as text: notebooks and other custom editors may run scripts of
 * them. VS Code's API types lack it, but the commands accept it as they do `background`.
 */
export const AS_TEXT = { override: false } as const;

/** {@link AS_TEXT}, except for images, audio and videos. */
export function asTextOrMedia({ path }: vscode.Uri): Partial<typeof AS_TEXT> {
  return media.test(path) ? {} : AS_TEXT;
}
