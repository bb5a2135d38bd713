import { type LenientSchema, lenientSchema, oneString } from '../tools/lenient-schema.ts';

/** One required text; `undefined` when the model left it out or sent nothing but blanks (COM-03). */
export const textParameter = (name: string, description: string): LenientSchema<string | undefined> =>
  lenientSchema(oneString(name, description), (input) => {
    const sent = Object.hasOwn(input, name) ? input[name] : undefined;
    if (sent === undefined || sent === null) return undefined;
    const words = typeof sent === 'string' ? sent : JSON.stringify(sent);
    return words.trim() === '' ? undefined : words;
  });

/** What a console that shows each call may leave out: these tools are shown by what they say (COM-06). */
export const SHOWN_BY_ITSELF: { readonly banner: false } = { banner: false };
