import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AnyTool, artifact, defineDomainType, defineTool } from '../../../../src/index.ts';
import { type Chained, chainAny, chainFrom } from '../../../../src/kinds/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { type ToolTable, toolsOf } from '../../../../src/modules/tool-objects/entry.ts';
import { callTools, createAnsweringTool, createClerk, getResults, runTurn } from './scenes.ts';

let error = vi.spyOn(console, 'error');
beforeEach(() => {
  error = vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

const Fields = v.object({ id: v.string(), city: v.string() });

/** An object of the app, as its repository would return it. */
class Shop {
  static readonly tools = {
    opens: { description: 'When it opens.', effect: 'read' },
  } satisfies ToolTable<Shop>;
  readonly id: string;
  readonly city: string;
  constructor({ id, city }: v.InferOutput<typeof Fields>) {
    this.id = id;
    this.city = city;
  }
  opens() {
    return `${this.city}: at nine`;
  }
}

const ShopType = defineDomainType({
  name: 'Shop',
  schema: Fields,
  tools: (value) => toolsOf(new Shop(value)),
});

/** Returns the warning that is logged only in development. */
const listInDevelopment = (line: string): readonly string[] =>
  process.env.NODE_ENV === 'production' ? [] : [line];

const formatLiveObjectHint = (tool: string): string =>
  `holdfast: Tool '${tool}' returned an instance of Shop, whose methods are tools. They are not offered, since results are stored as JSON. To chain it, ` +
  "declare its type: defineDomainType({ name: 'Shop', schema, tools: (value) => toolsOf(new Shop(value)) }). " +
  `Name that as the 'output' of '${tool}', and chain it with chainFrom from 'holdfast/kinds'.`;

const play = async (tool: AnyTool, entries?: readonly Chained[], ...more: readonly string[]) => {
  const replies = [tool.name, ...more].map((name) => callTools(name));
  return (await runTurn(createClerk([tool], entries), replies, { use: [files()] })).session;
};

const oslo = { id: 's1', city: 'Oslo' };

describe('an instance of a class with tools', () => {
  const find = defineTool({
    name: 'find',
    description: 'Finds.',
    effect: 'read',
    output: ShopType,
    run: () => new Shop(oslo),
  });

  it.each<[string, readonly Chained[]]>([
    ['with chainFrom', [chainFrom(ShopType)]],
    ['with chainAny', [chainAny()]],
  ])('is chained by the type that its tool declares, %s (S0-086)', async (_, entries) => {
    const session = await play(find, entries, 'opens');
    expect(getResults(session)).toEqual(['{"id":"s1","city":"Oslo"}', 'Oslo: at nine']);
    expect(error).not.toHaveBeenCalled();
  });

  it.each<[string, () => unknown]>([
    ['alone', () => new Shop(oslo)],
    ['in a list', () => [oslo, new Shop(oslo)]],
    ['as an artifact', () => artifact('Found.', new Shop(oslo) as never)], // Untyped callers can do this.
  ])('is reported to the developer if its tool declares no type and returns it %s', async (_, made) => {
    await play(createAnsweringTool('look', made));
    expect(error.mock.calls.flat()).toEqual(listInDevelopment(formatLiveObjectHint('look')));
  });

  it('is reported to the developer if its type has no tools', async () => {
    const Bare = defineDomainType({ name: 'Bare', schema: Fields });
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      effect: 'read',
      output: Bare,
      run: () => new Shop(oslo),
    });
    await play(look);
    expect(error.mock.calls.flat()).toEqual(listInDevelopment(formatLiveObjectHint('look')));
  });

  it.each<[string, unknown]>([
    ['a plain object', oslo],
    ['bytes', new Uint8Array([1, 2])],
    ['a date', new Date(0)],
    ['an object of a class without tools', new URL('https://example.com')],
    ['nothing', null],
    ['an artifact with a type', () => artifact('Found.', ShopType, oslo)],
  ])('is not confused with %s', async (_, value) => {
    await play(createAnsweringTool('look', value));
    expect(error).not.toHaveBeenCalled();
  });
});
