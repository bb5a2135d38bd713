/**
 * Whether whoever asks the model runs its tool calls too: yes, unless the options say `false` (SPA-02). Options of
 * another kind say nothing about it.
 *
 * @throws TypeError when there are no options.
 */
export function isInternalToolExecutionEnabled(options: object): boolean {
  if (options === null || options === undefined) throw new TypeError('There are no options to look into.');
  return !('internalToolExecutionEnabled' in options) || options.internalToolExecutionEnabled !== false;
}
