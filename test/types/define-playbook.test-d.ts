import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { type AnyTool, defineDomainType, defineTool, type Tool, toolProvider } from '../../src/index.ts';
import {
  after,
  allOf,
  anyOf,
  definePlaybook,
  type LoopView,
  onArtifact,
  onArtifactMatching,
  onBlackboard,
  onBlackboardMatching,
  type Playbook,
  type PlaybookProgress,
  type UnlockCondition,
  when,
} from '../../src/kinds/entry.ts';
import { requireApproval } from '../../src/modules/decorators/entry.ts';
import { toolFactory, toolsOf } from '../../src/modules/tool-objects/entry.ts';

const createTool = <const Name extends string>(name: Name) =>
  defineTool({ name, description: 'Does.', run: (): string => name });
const search = createTool('search');
const fetchPage = createTool('fetch_page');
const analyze = createTool('analyze');
const report = createTool('report');
const elsewhere = createTool('elsewhere');
const Document = defineDomainType({
  name: 'Document',
  schema: v.object({ at: v.pipe(v.string(), v.toDate()) }),
});

const base = { description: 'Researches.', input: v.object({ topic: v.string() }) };

// A playbook is a tool with a literal name and the input schema's output as its input.
const researcher = definePlaybook({
  ...base,
  name: 'researcher',
  tools: [search, fetchPage],
  locked: [
    { tool: analyze, unlockedBy: after(search, 'fetch_page') },
    { tool: report, unlockedBy: allOf(after(analyze), anyOf(onArtifact(Document), after('search'))) },
  ],
  key: (input) => input.topic,
  reset: ({ topic }) => topic === '',
  instructions: (view, input) => `${view.iterations} ${input.topic}`,
});
expectTypeOf(researcher).toEqualTypeOf<Playbook<'researcher', { topic: string }>>();
expectTypeOf(researcher).toExtend<Tool<'researcher', { topic: string }, unknown>>();
export const list: readonly AnyTool[] = [researcher];

// Conditions have the types of the tools that they name, even if nested.
expectTypeOf(after(search, 'analyze')).toEqualTypeOf<UnlockCondition<'search' | 'analyze'>>();
expectTypeOf(allOf(after(search), anyOf(after(analyze), onArtifact(Document)))).toEqualTypeOf<
  UnlockCondition<'search' | 'analyze'>
>();
expectTypeOf(
  allOf(
    onArtifact(Document),
    when(() => true),
  ),
).toEqualTypeOf<UnlockCondition<never>>();

// Conditions without tool names fit every playbook. A decorated tool keeps its name.
definePlaybook({
  ...base,
  name: 'others',
  tools: [requireApproval(search, 'May I?')],
  locked: [
    { tool: analyze, unlockedBy: onArtifact(Document, ({ at }) => at.getFullYear() > 2000) },
    {
      tool: fetchPage,
      unlockedBy: anyOf(
        onBlackboard(Document),
        onBlackboard(Document, ({ at }) => at.getFullYear() > 2000),
        onBlackboardMatching(({ name }) => name === 'a'),
      ),
    },
    {
      tool: report,
      unlockedBy: allOf(
        after(search),
        onArtifactMatching(({ type }) => type === undefined),
      ),
    },
    {
      tool: elsewhere,
      unlockedBy: when((progress, view) => {
        expectTypeOf(progress).toEqualTypeOf<PlaybookProgress>();
        expectTypeOf(view).toEqualTypeOf<LoopView>();
        return progress.toolExecutions >= 3 && progress.used(search) > 0 && progress.produced(Document) > 0;
      }),
    },
  ],
});

// If the names of tools are known only at run time, conditions accept any name, and `definePlaybook` checks
// it.
class Calculator {
  static readonly tools = { add: { description: 'Adds.' } };
  add() {
    return 3;
  }
}
definePlaybook({
  ...base,
  name: 'of_objects',
  tools: [...toolsOf(new Calculator())],
  locked: [{ tool: report, unlockedBy: after('add') }],
});
definePlaybook({
  ...base,
  name: 'of_factories',
  tools: [search, toolFactory(() => new Calculator())],
  locked: [{ tool: report, unlockedBy: after('add', 'search') }],
});
definePlaybook({
  ...base,
  name: 'locking',
  tools: [search],
  locked: [
    { tool: toolFactory(() => new Calculator()), unlockedBy: after(search) },
    { tool: report, unlockedBy: after('add') },
    { tool: new Calculator(), unlockedBy: after('search') },
    { tool: toolProvider({ toolsNow: () => [] }), unlockedBy: after('search') },
  ],
});

// Optional properties accept undefined, and both lists may be empty.
definePlaybook({
  ...base,
  name: 'absent',
  tools: [],
  locked: [],
  key: undefined,
  reset: undefined,
  instructions: undefined,
  model: undefined,
  limits: undefined,
});

const locked = { ...base, name: 'locked', tools: [search] } as const;

// @ts-expect-error a tool that is not in the playbook unlocks nothing
definePlaybook({ ...locked, locked: [{ tool: report, unlockedBy: after(elsewhere) }] });

// @ts-expect-error nor does its name
definePlaybook({ ...locked, locked: [{ tool: report, unlockedBy: after('elsewhere') }] });

// @ts-expect-error nor beside one that is in it
definePlaybook({ ...locked, locked: [{ tool: report, unlockedBy: after(search, elsewhere) }] });

// @ts-expect-error nor inside others
definePlaybook({ ...locked, locked: [{ tool: report, unlockedBy: allOf(after(search), after(elsewhere)) }] });

const inside = anyOf(onArtifact(Document), allOf(after('x')));
// @ts-expect-error nor further inside
definePlaybook({ ...locked, locked: [{ tool: report, unlockedBy: inside }] });

// @ts-expect-error an artifact is asked for by its domain type
onArtifact('Document');

// @ts-expect-error a bare type has no schema
onBlackboard({ name: 'Document' });

// @ts-expect-error the predicate receives the schema's output
onArtifact(Document, ({ at }) => at === '2026-01-01');

// @ts-expect-error the predicate receives the schema's output
onBlackboard(Document, ({ at }) => at === '2026-01-01');

// @ts-expect-error `after` needs a tool
after();

// @ts-expect-error `allOf` needs a condition
allOf();

// @ts-expect-error a key is text
definePlaybook({ ...locked, locked: [], key: () => 1 });
