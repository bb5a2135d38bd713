import { isRecord, isScalar, parseJson, type Scalar } from '../untrusted-json.ts';

/** What instructions say after this is what is to be done with the data of a message. */
const taskIn = /\bfollowing task:\s*(?<task>[^\n]+)/i;

/**
 * What a message asks for, in words. A nested loop is asked with the JSON of its tool's input: what is asked then is what
 * the instructions call the task, of the values that the JSON holds.
 */
export function messageText(message: string, instructions: string): string {
  const data = message.startsWith('{') ? parseJson(message) : undefined;
  if (!isRecord(data)) return message;
  const values = Object.entries(data).flatMap(([name, value]) =>
    isScalar(value) ? [`${spaced(name)} ${quoted(value)}`] : [],
  );
  const task = taskIn.exec(instructions)?.groups?.task ?? '';
  return [values.join(', '), task].filter((part) => part !== '').join('\n');
}

/** `orderId` and `order_id` as a person writes them. */
const spaced = (name: string): string => name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})|[_-]+/gu, ' ').toLowerCase();

/** Words are marked as one value; an id, a date or a number stands as it is. */
const quoted = (value: Scalar): string =>
  typeof value === 'string' && /^\p{L}+$|\s/u.test(value) ? `"${value.replaceAll('"', "'")}"` : String(value);
