/** What the model is told of an answer that does not have the form it was asked for: everything that is wrong with it. */
export const rejectionText = (problems: readonly string[]): string =>
  `Your answer does not have the form that was asked for:\n- ${problems.join('\n- ')}\n` +
  'Answer again with the corrected JSON text, and nothing else.';
