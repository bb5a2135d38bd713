import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { type AnyTool, type ChatModel, defineTool, type Tool, toolProvider } from '../../src/index.ts';
import { defineAgenticTool } from '../../src/kinds/entry.ts';
import { jsonSchema } from '../../src/modules/json-schema/entry.ts';
import { callLimits } from '../../src/modules/limits/entry.ts';
import { toolTable } from '../../src/modules/tool-objects/entry.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });
declare const model: ChatModel;
const base = { description: 'Digs.', tools: [look] };

// The name is a literal, and the input is the schema's output. The output is unknown.
const dig = defineAgenticTool({
  ...base,
  name: 'dig',
  input: v.object({ depth: v.pipe(v.string(), v.transform(Number)), where: v.optional(v.string()) }),
  instructions(view, input) {
    expectTypeOf(input).toEqualTypeOf<{ depth: number; where?: string | undefined }>();
    expectTypeOf(view.path).toBeString();
    return `Dig ${input.depth} deep.`;
  },
});
expectTypeOf(dig).toEqualTypeOf<Tool<'dig', { depth: number; where?: string | undefined }, unknown>>();
export const tools: readonly AnyTool[] = [dig];

// The input of a JSON Schema can be any record. Without an input, it is an empty record.
const loose = defineAgenticTool({ ...base, name: 'loose', input: jsonSchema({ type: 'object' }) });
expectTypeOf(loose).toEqualTypeOf<Tool<'loose', Record<string, unknown>, unknown>>();
const none = defineAgenticTool({ ...base, name: 'none' });
expectTypeOf(none).toEqualTypeOf<Tool<'none', Record<string, never>, unknown>>();

// An agentic tool can have settings and its own model, which can depend on the environment.
defineAgenticTool({
  ...base,
  name: 'set',
  settings: { reasoning: 'low', toolChoice: { first: 'required' } },
});
defineAgenticTool({ ...base, name: 'made', model: () => model, settings: undefined });
// @ts-expect-error: an empty object is not a model
defineAgenticTool({ ...base, name: 'unmade', model: () => ({}) });

// The `tools` list accepts the same items as an agent's, including objects with a table, classes and
// providers.
class Shed {
  static tools = toolTable<Shed>({ spade: { description: 'Digs.' } });
  spade() {
    return 'dug';
  }
}
defineAgenticTool({
  ...base,
  name: 'mixed',
  tools: [look, new Shed(), Shed, toolProvider({ toolsNow: () => [look] }), dig],
});

// Optional properties accept undefined.
defineAgenticTool({
  ...base,
  name: 'absent',
  input: undefined,
  instructions: undefined,
  model: undefined,
  limits: undefined,
  use: undefined,
  captureNestedArtifacts: undefined,
});
defineAgenticTool({
  ...base,
  name: 'whole',
  model,
  limits: { iterations: 3 },
  use: [callLimits({ toolCalls: 'unlimited' })],
});

// Mistakes that must stay compile errors.
// @ts-expect-error: it has no tools to work with
defineAgenticTool({ name: 'toolless', description: 'Digs.' });
// @ts-expect-error: null is not a tool
defineAgenticTool({ ...base, name: 'hole', tools: [null] });
defineAgenticTool({
  ...base,
  name: 'wrong',
  input: v.object({ depth: v.number() }),
  // @ts-expect-error: its input has no such property
  instructions: (_, { width }) => width,
});
// @ts-expect-error: instructions are text
defineAgenticTool({ ...base, name: 'silent', instructions: () => 7 });
// @ts-expect-error: an agentic tool has no function of its own
defineAgenticTool({ ...base, name: 'runs', run: () => 'dug' });
