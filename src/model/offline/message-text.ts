import { isRecord, isScalar, parseJson, type Scalar } from '../untrusted-json.ts';

/** What instructions say after this is what is to be done with the data of a message. */
const taskIn = /\bfollowing task:\s*(?<task>[^\n]+)/i;

/** How much of a message is read. */
const maxText = 4_000;
/** As much of a value as a quotation may hold. */
const maxValue = 500;

/**
 * What a message asks for, in words. A nested loop is asked with the JSON of its tool's input, and a webhook hands over what
 * it was sent: what is asked then is what the instructions call the task, of the values that the JSON holds. Whatever these
 * say, they are values: none of them begins a step of its own. Giant messages are read in part.
 */
export function messageText(message: string, instructions: string): string {
  const data = message.startsWith('{') ? parseJson(message) : undefined;
  if (!isRecord(data)) return message.slice(0, maxText);
  const values = Object.entries(data).flatMap(([name, value]) =>
    isScalar(value) ? [`${spaced(name)} ${quoted(value)}`] : [],
  );
  const task = taskIn.exec(instructions)?.groups?.task ?? '';
  return [joined(values), task].filter((part) => part !== '').join('\n');
}

/** As many as there is room for, none of them in part: half a quotation is none. */
function joined(values: readonly string[]): string {
  let text = '';
  for (const value of values) {
    if (text.length + value.length > maxText) break;
    text += text === '' ? value : `, ${value}`;
  }
  return text;
}

/** `orderId` and `order_id` as a person writes them. */
const spaced = (name: string): string => name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})|[_-]+/gu, ' ').toLowerCase();

/** Words, and whatever else could be read as more than one value, are marked as one; an id, a date or a number stands as it is. */
const quoted = (value: Scalar): string =>
  typeof value === 'string' && (/^\p{L}+$/u.test(value) || !/^[\p{L}\p{N}_.@:/#+-]+$/u.test(value))
    ? `"${value.slice(0, maxValue).replaceAll(/["“”]/g, "'")}"`
    : String(value);
