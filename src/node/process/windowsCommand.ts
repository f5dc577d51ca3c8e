/** Whether cmd.exe must run the file: CreateProcess cannot start scripts, and Node refuses to (CVE-2024-27980). */
export function isBatchFile(path: string): boolean {
  return /\.(cmd|bat)$/i.test(path);
}

/**
 * Arguments for cmd.exe that run a batch file with exactly these arguments (to be passed verbatim). Special characters
 * are escaped twice, because a batch file passes its arguments to another command line.
 * @throws Error when an argument contains a line break, which cmd.exe cannot pass on
 */
export function batchCommandLine(file: string, args: readonly string[]): string[] {
  const broken = args.find((arg) => /[\r\n\0]/.test(arg));
  if (broken !== undefined) throw new Error(`the argument ${JSON.stringify(broken)} has a line break`);
  const quotedArgs = args.map((arg) => escapeMeta(escapeMeta(quoteArgument(arg))));
  return ['/d', '/s', '/c', `"${[escapeMeta(quoteArgument(file)), ...quotedArgs].join(' ')}"`];
}

/** Quotes for CommandLineToArgvW: backslashes are special only before a quote. */
function quoteArgument(arg: string): string {
  return `"${arg.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\*)$/, '$1$1')}"`;
}

function escapeMeta(text: string): string {
  return text.replaceAll(/[()[\]%!^"`<>&|;, *?]/g, '^$&');
}
