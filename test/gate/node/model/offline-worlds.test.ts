import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toStem } from '../../../doors/model.ts';
import { createWorldTool, say, type WorldTool } from './offline-world.ts';

const runOptions = { numRuns: 200, seed: 20_261_117 };

/** Generates a noun that no word list contains. */
const noun = fc
  .tuple(
    fc.constantFrom('fl', 'zar', 'bl', 'qu', 'vor', 'tr', 'gl', 'yem', 'sn', 'dru'),
    fc.constantFrom('o', 'a', 'ee', 'u', 'i', 'oa'),
    fc.constantFrom('mp', 'nik', 'rk', 'zz', 'bble', 'nt', 'xo', 'lf', 'dge', 'sh'),
    fc.constantFrom('', 'er', 'on', 'il', 'ant'),
  )
  .map((parts) => parts.join(''));

interface World {
  readonly nouns: readonly [string, string, string, string];
  readonly value: string;
  readonly tools: readonly WorldTool[];
}

/** Generates a world's style of tool names and descriptions. */
const mannerOfWorld = fc.record({
  look: fc.constantFrom('get', 'find', 'fetch', 'lookup', 'read'),
  change: fc.constantFrom('cancel', 'delete', 'archive', 'zorble', 'refurb'),
  camel: fc.boolean(),
  parameter: fc.constantFrom('noun_id', 'nounId', 'id', 'noun_code'),
  integer: fc.boolean(),
  wordy: fc.boolean(),
  number: fc.integer({ min: 1, max: 99_999 }),
});

const world = fc
  .tuple(fc.uniqueArray(noun, { minLength: 4, maxLength: 4, selector: toStem }), mannerOfWorld)
  .map(
    ([[a = '', b = '', c = '', d = ''], style]): World & {
      readonly change: string;
      readonly look: string;
    } => {
      const { look, change, integer, number, wordy } = style;
      const nouns = [a, b, c, d] as const;
      const toToolName = (verb: string, word: string): string =>
        style.camel ? `${verb}${word[0]?.toUpperCase()}${word.slice(1)}` : `${verb}_${word}`;
      const toParameter = (word: string): string =>
        style.parameter.replace('noun', word).replace(/^id$/, 'id');
      const type = integer ? 'integer' : 'string';
      const computeId = (word: string): number =>
        (number + 7 * (nouns.indexOf(word) + 1)) * (nouns.indexOf(word) + 2);
      const toParameterValue = (value: number): number | string => (integer ? value : String(value));
      // Each thing links to the next thing and to the last thing: a -> b -> c, and all -> d.
      const createLinks = (word: string): Record<string, unknown> =>
        Object.fromEntries(
          [nouns[nouns.indexOf(word) + 1], d]
            .filter((next) => next !== undefined && next !== word)
            .map((next) => [`${next}_id`, toParameterValue(computeId(next ?? ''))]),
        );
      const getPreviousNoun = (word: string): string => nouns[nouns.indexOf(word) - 1] ?? 'thing';
      const tools = nouns.flatMap((word) => [
        createWorldTool(
          toToolName(look, word),
          wordy
            ? `Looks up one ${word} by its id, such as the ${word} of a ${getPreviousNoun(word)}.`
            : `One ${word}`,
          { [toParameter(word)]: { type } },
          (input) => ({
            id: input[toParameter(word)],
            state: 'fine',
            [`${word}_glint`]: `glint of ${word} ${input[toParameter(word)]}`,
            ...createLinks(word),
          }),
        ),
        createWorldTool(
          toToolName(change, word),
          `${change[0]?.toUpperCase()}${change.slice(1)}s a ${word}.`,
          { [toParameter(word)]: { type } },
          () => 'Done',
        ),
      ]);
      return {
        nouns,
        value: String(number),
        tools: tools.toSorted((x, y) => (x.name < y.name ? -1 : 1)),
        change,
        look,
      };
    },
  );

const listToolNames = (replies: readonly (readonly string[])[]): string[][] =>
  replies.map((calls) => calls.map((call) => call.split(' ')[0]?.toLowerCase().replace('_', '') ?? ''));

/** Checks 200 generated worlds. */
const checkEveryWorld = (
  check: (world: World & { readonly change: string; readonly look: string }) => Promise<void>,
) => fc.assert(fc.asyncProperty(world, check), runOptions);

describe('the offline model in 200 generated worlds', { timeout: 60_000 }, () => {
  it('looks up a thing by its number', () =>
    checkEveryWorld(async ({ nouns: [a], value, tools, look }) => {
      for (const text of [
        `Where is ${a} ${value}?`,
        `Show me ${a} number ${value}`,
        `What about the ${a} #${value}?`,
      ]) {
        const { replies, answer } = await say(text, tools);
        expect(listToolNames(replies)).toEqual([[`${look}${a}`]]);
        expect(answer).toContain(`glint of ${a} ${value}`);
      }
    }));

  it('follows a link from one result into the next call', () =>
    checkEveryWorld(async ({ nouns: [a, b], value, tools, look }) => {
      for (const text of [
        `Where is the ${b} of ${a} ${value}?`,
        `Which ${b} does ${a} ${value} have?`,
        `Please tell me about the ${b} for ${a} ${value}.`,
      ]) {
        const { replies, answer } = await say(text, tools);
        expect(listToolNames(replies)).toEqual([[`${look}${a}`], [`${look}${b}`]]);
        expect(answer).toMatch(new RegExp(`glint of ${b} \\d+`));
      }
    }));

  it('follows two links in a row', () =>
    checkEveryWorld(async ({ nouns: [a, b, c], value, tools, look }) => {
      const { replies, answer } = await say(`What is the ${c} of the ${b} of ${a} ${value}?`, tools);
      expect(listToolNames(replies)).toEqual([[`${look}${a}`], [`${look}${b}`], [`${look}${c}`]]);
      expect(answer).toMatch(new RegExp(`glint of ${c} \\d+`));
    }));

  it('follows a link that the message does not mention', () =>
    checkEveryWorld(async ({ nouns: [a, , c], value, tools, change }) => {
      const { replies, answer } = await say(`What is the ${c} of ${a} ${value}?`, tools);
      expect(answer).toMatch(new RegExp(`glint of ${c} \\d+`));
      expect(
        listToolNames(replies)
          .flat()
          .filter((name) => name.startsWith(change)),
      ).toEqual([]);
    }));

  it('looks up several values in one reply', () =>
    checkEveryWorld(async ({ nouns: [a], value, tools, look }) => {
      const { replies } = await say(`Compare ${a} ${value} and 123456`, tools);
      expect(listToolNames(replies)).toEqual([[`${look}${a}`, `${look}${a}`]]);
    }));

  it('runs an order once, without other effects', () =>
    checkEveryWorld(async ({ nouns: [a], value, tools, change }) => {
      for (const text of [
        `${change} ${a} ${value}`,
        `Please ${change} the ${a} ${value}.`,
        `Can you ${change} ${a} ${value}?`,
      ]) {
        const { replies } = await say(text, tools);
        expect(listToolNames(replies)).toEqual([[`${change}${a}`]]);
      }
    }));

  it('looks up the object of an order before it runs the order', () =>
    checkEveryWorld(async ({ nouns: [a, b], value, tools, look, change }) => {
      const { replies } = await say(`${change} the ${b} of ${a} ${value}`, tools);
      expect(listToolNames(replies)).toEqual([[`${look}${a}`], [`${change}${b}`]]);
    }));

  it('runs several orders in sequence', () =>
    checkEveryWorld(async ({ nouns: [a, b], value, tools, look, change }) => {
      const { replies } = await say(
        `${change} ${a} ${value}, then ${change} ${b} 17; and show ${a} 18.`,
        tools,
      );
      expect(listToolNames(replies)).toEqual([[`${change}${a}`], [`${change}${b}`], [`${look}${a}`]]);
    }));

  it('runs no order for a question, a condition, a negation or a quotation', () =>
    checkEveryWorld(async ({ nouns: [a], value, tools, change }) => {
      for (const text of [
        `Can I ${change} ${a} ${value}?`,
        `How do I ${change} ${a} ${value}?`,
        `Did you ${change} ${a} ${value}?`,
        `What happens if you ${change} ${a} ${value}?`,
        `If ${a} ${value} is late, ${change} it.`,
        `Do not ${change} ${a} ${value}.`,
        `Please don't ${change} ${a} ${value}.`,
        `Show ${a} ${value}, the one with the note "${change} ${a} ${value}".`,
        `Where is ${a} ${value}, and should I ${change} it?`,
      ]) {
        const { replies } = await say(text, tools);
        expect(
          listToolNames(replies)
            .flat()
            .filter((name) => name.startsWith(change)),
          text,
        ).toEqual([]);
      }
    }));

  it('does not apply an order to another thing', () =>
    checkEveryWorld(async ({ nouns: [a, b], value, tools, change }) => {
      const others = tools.filter(({ name }) => !(name.startsWith(change) && name.toLowerCase().endsWith(a)));
      for (const text of [`${change} ${a} ${value}`, `${change} the wibblet of ${b} ${value}`]) {
        const { replies, answer } = await say(text, others);
        expect(
          listToolNames(replies)
            .flat()
            .filter((name) => name.startsWith(change)),
          text,
        ).toEqual([]);
        expect(answer).toContain('Not done');
      }
    }));

  it('looks up a thing that a message only mentions, even if it could create one', () =>
    checkEveryWorld(async ({ nouns: [a, b], value, tools, look }) => {
      const more = [a, b].map((word) =>
        createWorldTool(`create_${word}`, `Create a ${word}.`, { name: { type: 'string' } }),
      );
      for (const text of [`${a} ${value}`, `${a} ${value} state`, `state of ${a} ${value}`]) {
        const { replies } = await say(text, [...tools, ...more]);
        expect(listToolNames(replies), text).toEqual([[`${look}${a}`]]);
      }
    }));

  it('stops if the requested link is empty', () =>
    checkEveryWorld(async ({ nouns: [a, b], value, tools, look }) => {
      const unlinked = tools.map((one) => ({
        ...one,
        run: (input: Readonly<Record<string, unknown>>) => {
          const found = one.run(input);
          return typeof found === 'object' ? { ...found, [`${b}_id`]: null } : found;
        },
      }));
      for (const text of [`Where is the ${b} of ${a} ${value}?`, `Which ${b} does ${a} ${value} have?`]) {
        const { replies, answer } = await say(text, unlinked);
        expect(listToolNames(replies), text).toEqual([[`${look}${a}`]]);
        expect(answer).toContain(`${b} id: none`);
      }
    }));

  it('answers a later message from earlier results', () =>
    checkEveryWorld(async ({ nouns: [a], value, tools }) => {
      const first = await say(`Show ${a} ${value}`, tools);
      const { replies, answer } = await say('What is its glint?', tools, first.messages);
      expect(replies).toEqual([]);
      expect(answer).toContain(`glint of ${a} ${value}`);
    }));

  it('understands "it" in a later order', () =>
    checkEveryWorld(async ({ nouns: [a], value, tools, change }) => {
      const first = await say(`Show ${a} ${value}`, tools);
      const { replies } = await say(`${change} it`, tools, first.messages);
      expect(listToolNames(replies)).toEqual([[`${change}${a}`]]);
      expect(replies[0]?.[0]).toContain(value);
    }));
});
