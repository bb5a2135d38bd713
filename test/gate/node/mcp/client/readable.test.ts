import { isSpecType } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toReadableMessage } from '../../../../doors/mcp.ts';

const RUN_OPTIONS = { numRuns: 300, seed: 20_261_123 };

const anyJson = fc.jsonValue({ maxDepth: 2 });
const tool = fc.record({ name: fc.string({ maxLength: 5 }), inputSchema: fc.constant({ type: 'object' }) });
const answer = fc.record(
  {
    tools: fc.oneof(anyJson, fc.array(fc.oneof(anyJson, tool), { maxLength: 5 })),
    resources: anyJson,
    resourceTemplates: anyJson,
    prompts: fc.array(anyJson, { maxLength: 3 }),
    contents: anyJson,
    resultType: anyJson,
    ttlMs: fc.oneof(anyJson, fc.integer(), fc.double()),
    cacheScope: fc.oneof(anyJson, fc.constantFrom('public', 'private')),
    nextCursor: anyJson,
    more: anyJson,
  },
  { requiredKeys: [] },
);

/** The readable result of an unchecked response. */
const toReadableResult = (result: object): Readonly<Record<string, unknown>> => {
  const message = { jsonrpc: '2.0', id: 1, result } as Parameters<typeof toReadableMessage>[0]; // The result may be any value.
  return Object(toReadableMessage(message)).result;
};

it('a readable list keeps its well-formed definitions in order, and the rest of the response is unchanged', () => {
  let kept = 0;
  fc.assert(
    fc.property(answer, (given) => {
      const { resultType = 'complete', ...result } = toReadableResult(given);
      const { tools, more, nextCursor } = given;
      if (Array.isArray(tools)) {
        expect(result.tools).toEqual(tools.filter((one) => isSpecType.Tool(one)));
        kept += Object(result.tools).length;
      } else expect(result.tools).toEqual(tools);
      expect([resultType, result.more, result.nextCursor]).toEqual([
        given.resultType ?? (Object.hasOwn(given, 'resultType') ? given.resultType : 'complete'),
        more,
        nextCursor,
      ]);
      expect(toReadableResult(toReadableResult(given))).toEqual(toReadableResult(given));
    }),
    RUN_OPTIONS,
  );
  expect(kept).toBeGreaterThan(20);
});

it('a readable response has its time to live in milliseconds, and is private unless it is public', () => {
  fc.assert(
    fc.property(answer, (given) => {
      const { ttlMs, cacheScope, ...others } = toReadableResult({ ...given, tools: [] });
      expect(Number.isSafeInteger(ttlMs) && Number(ttlMs) >= 0).toBe(true);
      expect(cacheScope).toBe(given.cacheScope === 'public' ? 'public' : 'private');
      expect(others.tools).toEqual([]);
    }),
    RUN_OPTIONS,
  );
});
