import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { type AnyTool, ToolDefinitionError } from '../../../../src/index.ts';
import { defineUnfolding, toolsFor } from '../../../../src/kinds/entry.ts';
import { decorate, withReview } from '../../../../src/modules/decorators/entry.ts';
import { createTool } from './scenes.ts';

const getToolNames = (tools: readonly AnyTool[]): readonly string[] => tools.map(({ name }) => name);

describe('toolsFor', () => {
  it('returns the tools that the parsed input selects (S3-10)', async () => {
    const database = defineUnfolding({
      name: 'database',
      description: 'Works with a database.',
      input: v.object({ connection: v.optional(v.string(), 'localhost') }),
      select: ({ connection }) => [createTool(`query_${connection}`)],
    });
    expect(getToolNames(await toolsFor(database, { connection: 'prod' }))).toEqual(['query_prod']);
    expect(getToolNames(await toolsFor(database))).toEqual(['query_localhost']);
    await expect(toolsFor(database, { connection: 7 })).rejects.toEqual(
      new TypeError(
        "The input of tool 'database' is not valid:\n- connection: Invalid type: Expected string but received 7\n" +
          'Call it again with a corrected input.',
      ),
    );
  });

  it('returns the tools of a category, of a list or of a function (S3-10)', async () => {
    const byCategory = { read: [createTool('look')], write: [createTool('put')] };
    const files = defineUnfolding({ name: 'files', description: 'Files.', byCategory });
    expect(getToolNames(await toolsFor(files, { category: 'write' }))).toEqual(['put']);
    expect(getToolNames(await toolsFor(files))).toEqual(['look', 'put']);
    const shop = defineUnfolding({ name: 'shop', description: 'Shop.', tools: [createTool('buy'), files] });
    expect(getToolNames(await toolsFor(shop))).toEqual(['buy', 'files']);
    const now = defineUnfolding({
      name: 'now',
      description: 'Now.',
      tools: ({ context, principal }) => [createTool(`${context.get('tenant')}_${principal.id}`)],
    });
    const asked = { context: { tenant: 'acme' }, principal: { id: 'ann' } };
    expect(getToolNames(await toolsFor(now, {}, asked))).toEqual(['acme_ann']);
    expect(getToolNames(await toolsFor(now, {}, { context: { tenant: 'acme' } }))).toEqual(['acme_code']);
  });

  it('keeps the decorators of the unfolding tool on the inner tools', async () => {
    const buy = createTool('buy');
    const shop = defineUnfolding({ name: 'shop', description: 'Shop.', tools: [buy] });
    const [guarded] = await toolsFor(withReview(shop, () => ({ decision: 'reject' })));
    const [bare] = await toolsFor(shop);
    const computeDepth = (tool: AnyTool | undefined): number =>
      tool?.delegate ? 1 + computeDepth(tool.delegate) : 0;
    expect(computeDepth(guarded)).toBeGreaterThan(computeDepth(bare));
  });

  it('rejects for a tool that does not unfold, and for a tool that discovers its tools in a turn', async () => {
    const matchRefusal = (message: string) =>
      expect.objectContaining({ constructor: ToolDefinitionError, message });
    await expect(toolsFor(createTool('look'))).rejects.toEqual(
      matchRefusal("Tool 'look': it is not an unfolding tool."),
    );
    const prepare = vi.fn(async () => undefined);
    const crm = defineUnfolding({
      name: 'crm',
      description: 'CRM.',
      tools: () => [createTool('look')],
      prepare,
    });
    await expect(toolsFor(crm)).rejects.toEqual(
      matchRefusal("Tool 'crm': its tools are known only during a turn."),
    );
    expect(prepare).not.toHaveBeenCalled();
  });

  it('rejects for an input that the schema turns into a value that is not JSON', async () => {
    const at = v.pipe(
      v.string(),
      v.transform(() => () => 'later'),
    );
    const input = v.object({ at });
    const plans = defineUnfolding({
      name: 'plans',
      description: 'Plans.',
      input,
      select: () => [createTool('look')],
    });
    await expect(toolsFor(plans, { at: '2026-11-23' })).rejects.toEqual(
      new TypeError(
        "Tool 'plans' did not run: its schema returned a value that is a function at `$.at`, which is not JSON.",
      ),
    );
    const check = async () => ({ ok: true, value: { at: () => 'later' } }) as const;
    await expect(toolsFor(decorate(plans, { check }))).rejects.toEqual(
      new TypeError("The schema of 'plans' returned a function at `$.at`."),
    );
  });
});
