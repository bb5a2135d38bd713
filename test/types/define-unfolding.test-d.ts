import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { defineTool, type Tool, type ToolGroup } from '../../src/index.ts';
import {
  defineUnfolding,
  type LoopView,
  type UnfoldingTool,
  withInnerTools,
  withUnfolding,
} from '../../src/kinds/entry.ts';
import { requireApproval } from '../../src/modules/decorators/entry.ts';
import type { Reference } from '../../src/modules/tool-groups/entry.ts';
import {
  type UnfoldingDeclaration,
  unfoldingOf,
  unfoldingOfSafely,
} from '../../src/modules/tool-objects/entry.ts';

const read = defineTool({ name: 'read', description: 'Reads.', run: () => 'read' });
const base = { name: 'files', description: 'Files.' } as const;

// The name is a literal, and an unfolding tool is a tool, even if it is decorated.
const files = defineUnfolding({ ...base, tools: [read] });
expectTypeOf(files).toEqualTypeOf<UnfoldingTool<'files', Record<string, never>>>();
expectTypeOf(files).toExtend<Tool<'files'>>();
expectTypeOf(withInnerTools(files, read)).toEqualTypeOf(files);
expectTypeOf(requireApproval(files, 'Open?')).toEqualTypeOf(files);

// The tools can depend on the loop.
defineUnfolding({
  ...base,
  tools: (view) => {
    expectTypeOf(view).toEqualTypeOf<LoopView>();
    return [read];
  },
});

// A selector receives the schema's output.
const selectable = defineUnfolding({
  ...base,
  input: v.object({ root: v.optional(v.string(), '/') }),
  select: (input, view) => {
    expectTypeOf(input).toEqualTypeOf<{ root: string }>();
    expectTypeOf(view).toEqualTypeOf<LoopView>();
    return [read];
  },
});
expectTypeOf(selectable).toEqualTypeOf<UnfoldingTool<'files', { root: string }>>();

// The tools are specified in exactly one form.
defineUnfolding({ ...base, byCategory: { look: [read] }, categoryParameter: 'kind', exclusive: true });
// @ts-expect-error `tools` and `byCategory` are alternatives
defineUnfolding({ ...base, tools: [read], byCategory: { look: [read] } });
// @ts-expect-error a selector needs an input to select by
defineUnfolding({ ...base, tools: [read], select: () => [read] });
// @ts-expect-error an input needs a selector
defineUnfolding({ ...base, tools: [read], input: v.object({}) });
// @ts-expect-error the tools are missing
defineUnfolding(base);
// @ts-expect-error a name is not a tool
defineUnfolding({ ...base, tools: ['read'] });
// @ts-expect-error `tools` cannot be asynchronous
defineUnfolding({ ...base, tools: async () => [read] });
// @ts-expect-error the schema has no such property
defineUnfolding({ ...base, input: v.object({ root: v.string() }), select: ({ path }) => [path && read] });
// @ts-expect-error there is no such scope
defineUnfolding({ ...base, tools: [read], scope: 'for ever' });

// An object yields an unfolding tool. The safe variant can return undefined.
expectTypeOf(unfoldingOf(new Map(), { name: 'a', description: 'A.' })).toEqualTypeOf<UnfoldingTool>();
expectTypeOf(unfoldingOfSafely({})).toEqualTypeOf<UnfoldingTool | undefined>();
// @ts-expect-error a string is not an object
unfoldingOf('files');
// @ts-expect-error the description is missing
({ name: 'files' }) satisfies UnfoldingDeclaration;

// `withUnfolding` keeps the type of a reference and of a group.
expectTypeOf(withUnfolding<Reference>).returns.toEqualTypeOf<Reference>();
expectTypeOf(withUnfolding<ToolGroup<'web'>>).returns.toEqualTypeOf<ToolGroup<'web'>>();
