import { generateText, jsonSchema, type LanguageModel, tool } from 'ai';
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { type Agent, defineTool, type Tool } from '../../../../src/index.ts';
import { fromAiTool, type GivenTool, toAiTools } from '../../../../src/modules/ai-sdk-tools/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';

const weather = tool({
  description: 'Tells the weather.',
  inputSchema: z.object({ city: z.string(), days: z.number().default(3) }),
  execute: async ({ city, days }) => ({ city, days }),
});

interface Weather {
  city: string;
  days: number;
}
const weatherTool = fromAiTool(weather, { name: 'weather', effect: 'read' });
expectTypeOf(weatherTool).toEqualTypeOf<Tool<'weather', Weather, Weather>>();
requireApproval(weatherTool, ({ city, days }) => `${city.toUpperCase()} ${days.toFixed()}`);

// @ts-expect-error the input has no such property
requireApproval(weatherTool, ({ town }) => town);

// @ts-expect-error there is no such effect
fromAiTool(weather, { name: 'weather', effect: 'reads' });

// @ts-expect-error it needs a name, which the AI SDK does not keep with the tool
fromAiTool(weather, {});

// @ts-expect-error no AI SDK tool is without a schema
fromAiTool({ description: 'Looks.', execute: () => 1 }, { name: 'look' });

const counts = tool({
  description: 'Counts.',
  inputSchema: jsonSchema<{ to: number }>({ type: 'object' }),
  async *execute({ to }) {
    yield to;
  },
});
expectTypeOf(fromAiTool(counts, { name: 'counts' })).toEqualTypeOf<Tool<'counts', { to: number }, number>>();

const confirm = tool({
  description: 'Asks the user.',
  inputSchema: z.object({ question: z.string() }),
  outputSchema: z.string(),
});
expectTypeOf(fromAiTool(confirm, { name: 'confirm' })).toEqualTypeOf<
  Tool<'confirm', { question: string }, unknown>
>();

const find = defineTool({ name: 'find', description: 'Finds.', input: v.object({}), run: () => 'Found.' });
declare const model: LanguageModel;
declare const agent: Agent;

expectTypeOf(toAiTools([weatherTool, find])).toEqualTypeOf<{
  readonly weather: GivenTool;
  readonly find: GivenTool;
}>();
expectTypeOf(toAiTools(agent)).toEqualTypeOf<{ readonly [name: string]: GivenTool }>();
generateText({ model, prompt: 'Go.', tools: toAiTools([weatherTool, find]) });
generateText({ model, prompt: 'Go.', tools: toAiTools(agent), activeTools: ['find'] });
generateText({ model, prompt: 'Go.', tools: { ...toAiTools([find]), weather } });

// @ts-expect-error there is no tool of that name
generateText({ model, prompt: 'Go.', tools: toAiTools([find]), activeTools: ['weather'] });
