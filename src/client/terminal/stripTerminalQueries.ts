/* oxlint-disable no-control-regex -- the patterns match control characters */
/** Queries that a terminal answers itself: device attributes, reports of state and mode, colors, settings, ENQ. */
const queries =
  /\u001b\[[?>=]?[\d;]*[cn]|\u001b\[[?>]?[\d;]*\$p|\u001b\[[>?]?[\d;]*[xq]|\u001b\[\?u|\u001bZ|\u0005|\u001b\][^\u0007\u001b]*;\?(?:\u0007|\u001b\\)|\u001bP[$+]q[^\u001b]*\u001b\\/g;
/* oxlint-enable no-control-regex */

/** Removes queries from old output: the terminal's answers would reach the command as typed text. */
export function stripTerminalQueries(output: string): string {
  return output.replaceAll(queries, '');
}
