import type { RequestedCall } from './chat-model.ts';
import { invalidReply } from './untrusted-reply.ts';

const uniqueId = (wanted: string, taken: ReadonlySet<string>): string => {
  let id = wanted;
  for (let copy = 2; taken.has(id); copy += 1) id = `${wanted}_${copy}`;
  return id;
};

/**
 * The calls in their order, each with an id that no other has: some servers send none, or the same one twice.
 *
 * @throws ModelError `invalid-reply` for a call without a name.
 */
export const withUniqueIds = (calls: readonly RequestedCall[]): readonly RequestedCall[] => {
  const taken = new Set<string>();
  return calls.map(({ id, name, input }, position) => {
    if (name === '') throw invalidReply("The model's reply asks for a tool without naming it.");
    const unique = uniqueId(id || `call_${position}`, taken);
    taken.add(unique);
    return { id: unique, name, input };
  });
};
