/* oxlint-disable no-control-regex -- controls are what this is about */
/** What a terminal answers by itself: device attributes, reports of state and mode, colours, settings, ENQ. */
const queries =
  /\u001b\[[?>=]?[\d;]*[cn]|\u001b\[[?>]?[\d;]*\$p|\u001b\[[>?]?[\d;]*[xq]|\u001b\[\?u|\u001bZ|\u0005|\u001b\][^\u0007\u001b]*;\?(?:\u0007|\u001b\\)|\u001bP[$+]q[^\u001b]*\u001b\\/g;
/* oxlint-enable no-control-regex */

/** Output from before: its questions to the terminal are over, and an answer would reach the command as typed text. */
export function stripTerminalQueries(output: string): string {
  return output.replaceAll(queries, '');
}
