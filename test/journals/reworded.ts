/** What a text was, and what it is now. */
type Rewording = readonly [was: string, is: string];

/**
 * Texts that the model was shown by the code that had stored a session, and that the code of today says otherwise on purpose:
 * by its version and the journal, each a whole text of a request. All else is as it was, byte for byte.
 */
export const reworded: Readonly<Record<string, Readonly<Record<string, readonly Rewording[]>>>> = {
  '1bd17dc': {
    playbook: [
      [
        'You are an intelligent agent that can use tools to help you complete tasks. Use the provided tools to perform the following task: Researches.\n\n' +
          'Some tools have prerequisites and are not available yet: their descriptions, and their answers, say what is missing.\n' +
          'Use the tools that are needed first, and then those that have become available.',
        'You are an intelligent agent that can use tools to help you complete tasks. Use the provided tools to perform the following task: Researches.\n\n' +
          'Some tools have prerequisites. One that is called before they are met does nothing, and answers what is missing:\n' +
          '- analyze: first use search\n' +
          '- report: first use search and use analyze and produce an artifact of type Finding\n' +
          '- archive: first have an object of type Finding on the blackboard that meets a condition\n' +
          '- finish: first meet a condition on what has been done\n' +
          'Use the tools that are needed first, and then those that they have made available.',
      ],
      [
        'Does finish.\n\nThis tool is not yet available. Prerequisites have not been met yet.',
        'Does finish.',
      ],
      [
        'Does report.\n\nThis tool is not yet available. Multiple conditions must be met before this tool is available.',
        'Does report.',
      ],
    ],
    chained: [
      [
        'Greets the customer.',
        'Greets the customer.\n\nNote: This tool requires a Customer instance to be retrieved first.',
      ],
      [
        'Finds the last order.',
        'Finds the last order.\n\nNote: This tool requires a Customer instance to be retrieved first.',
      ],
      [
        'Ships the order.',
        'Ships the order.\n\nNote: This tool requires a Order instance to be retrieved first.',
      ],
    ],
  },
};

/** The value with the texts of now, and which of the old ones it had. Mutates nothing. */
export function inWordsOfNow(
  value: unknown,
  rewordings: readonly Rewording[],
): { readonly value: unknown; readonly met: ReadonlySet<string> } {
  const words = new Map(rewordings);
  const met = new Set<string>();
  const said = JSON.stringify(value, (_, one: unknown) => {
    const now = typeof one === 'string' ? words.get(one) : undefined;
    if (now !== undefined) met.add(String(one));
    return now ?? one;
  });
  return { value: JSON.parse(said), met };
}
