/** What a text was or is, and what it may be instead: then, now, or in another loop. */
type Rewording = readonly [string, ...string[]];

const TASK =
  'You are an intelligent agent that can use tools to help you complete tasks. Use the provided tools to perform the following task: Researches.';
const PREREQUISITES =
  'Some tools have prerequisites. One that is called before they are met does nothing, and answers what is missing:';
const REPORT = '- report: first use search and use analyze and produce an artifact of type Finding';
const OTHERS =
  '- archive: first have an object of type Finding on the blackboard that meets a condition\n' +
  '- finish: first meet a condition on what has been done\n' +
  'Use the tools that are needed first, and then those that they have made available.';

/**
 * Texts that the model was shown by the code that had stored a session, or that its tools were given, and that the code of today says
 * otherwise on purpose: by its version and the journal, each a whole text of a request. They are taken for the same; all else is as it was, byte for
 * byte.
 */
export const reworded: Readonly<Record<string, Readonly<Record<string, readonly Rewording[]>>>> = {
  '1bd17dc': {
    // An idempotency key is made of the session's name, in which a tenant is told from an id since.
    'of-a-tenant': [
      [
        '1719e5c3fc8046a6c1de21689e04fcef94ddd973cfe7616501f40720e6a56c79',
        '36dd7d559b6ed75e04d297ff0e261030d689f7737808cff2d60d64dbdf331dfb',
      ],
    ],
    finished: [
      ['{"counted":3,"onBoard":4}', '{"counted":3,"onBoard":4}\n\n[Said to the user: That was call 3.]'],
    ],
    playbook: [
      [
        'You are an intelligent agent that can use tools to help you complete tasks. Use the provided tools to perform the following task: Researches.\n\n' +
          'Some tools have prerequisites and are not available yet: their descriptions, and their answers, say what is missing.\n' +
          'Use the tools that are needed first, and then those that have become available.',
        `${TASK}\n\n${PREREQUISITES}\n${REPORT}\n${OTHERS}`,
        `${TASK}\n\n${PREREQUISITES}\n${OTHERS}`,
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

/** The value with the first of texts that are taken for the same, and which of them it had. Mutates nothing. */
export function inSameWords(
  value: unknown,
  rewordings: readonly Rewording[],
): { readonly value: unknown; readonly met: ReadonlySet<string> } {
  const words = new Map(
    rewordings.flatMap(([first, ...more]) => [first, ...more].map((one) => [one, first])),
  );
  const met = new Set<string>();
  const said = JSON.stringify(value, (_, one: unknown) => {
    const same = typeof one === 'string' ? words.get(one) : undefined;
    if (same !== undefined) met.add(String(one));
    return same ?? one;
  });
  return { value: JSON.parse(said), met };
}
