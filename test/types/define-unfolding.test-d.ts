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

// The name is a literal, and an unfolding tool is a tool, also when it is decorated.
const files = defineUnfolding({ ...base, tools: [read] });
expectTypeOf(files).toEqualTypeOf<UnfoldingTool<'files', Record<string, never>>>();
expectTypeOf(files).toExtend<Tool<'files'>>();
expectTypeOf(withInnerTools(files, read)).toEqualTypeOf(files);
expectTypeOf(requireApproval(files, 'Open?')).toEqualTypeOf(files);

// Tools that come and go depend on the loop.
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

// It has one form, and no mixture.
defineUnfolding({ ...base, byCategory: { look: [read] }, categoryParameter: 'kind', exclusive: true });
// @ts-expect-error tools, by themselves or by category
defineUnfolding({ ...base, tools: [read], byCategory: { look: [read] } });
// @ts-expect-error a selector needs an input to select by
defineUnfolding({ ...base, tools: [read], select: () => [read] });
// @ts-expect-error an input that nobody reads
defineUnfolding({ ...base, tools: [read], input: v.object({}) });
// @ts-expect-error nothing to unfold into
defineUnfolding(base);
// @ts-expect-error no tool
defineUnfolding({ ...base, tools: ['read'] });
// @ts-expect-error tools are asked for at once
defineUnfolding({ ...base, tools: async () => [read] });
// @ts-expect-error the schema makes no such property
defineUnfolding({ ...base, input: v.object({ root: v.string() }), select: ({ path }) => [path && read] });
// @ts-expect-error no such scope
defineUnfolding({ ...base, tools: [read], scope: 'for ever' });

// Of an object: an unfolding tool, or none where that is asked for.
expectTypeOf(unfoldingOf(new Map(), { name: 'a', description: 'A.' })).toEqualTypeOf<UnfoldingTool>();
expectTypeOf(unfoldingOfSafely({})).toEqualTypeOf<UnfoldingTool | undefined>();
// @ts-expect-error no object
unfoldingOf('files');
// @ts-expect-error without a description
({ name: 'files' }) satisfies UnfoldingDeclaration;

// A reference stays a reference, and a group a group.
expectTypeOf(withUnfolding<Reference>).returns.toEqualTypeOf<Reference>();
expectTypeOf(withUnfolding<ToolGroup<'web'>>).returns.toEqualTypeOf<ToolGroup<'web'>>();
