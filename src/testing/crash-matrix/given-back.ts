import type { ReplyPart } from '../../model/parts.ts';
import type { PlayResult } from './play-script.ts';

/**
 * Tells of replies of parts that were given back to the model otherwise than it had made them: with a part less, in another
 * order, or with a letter changed. A reply that a transformer has told in words has no parts.
 */
export function givenBackFaults({ requests, replies }: Pick<PlayResult, 'requests' | 'replies'>): string[] {
  const made = new Set(replies.map(textOf));
  const given = requests.flatMap(({ messages }) =>
    messages.flatMap((message) => (message.role === 'assistant' && message.parts ? textOf(message) : [])),
  );
  return [...new Set(given)]
    .filter((text) => !made.has(text))
    .map((text) => `the model was given back what it had not replied: ${text}`);
}

interface InParts {
  readonly parts?: readonly ReplyPart[] | undefined;
  readonly provider?: unknown;
}

/** The order of a part's own fields says nothing; that in what its provider keeps may. */
const textOf = ({ parts = [], provider }: InParts): string =>
  JSON.stringify([parts.map((part) => Object.entries(part).toSorted(byName)), provider]);

const byName = ([one]: [string, unknown], [other]: [string, unknown]): number => (one < other ? -1 : 1);
