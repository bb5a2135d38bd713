import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type Decision, defineDomainType, defineTool } from '../../../../../src/index.ts';
import { requireType } from '../../../../../src/modules/decorators/entry.ts';
import { createDecidedCall } from './decided-invocation.ts';

const Address = defineDomainType({
  name: 'Address',
  schema: v.object({
    city: v.pipe(
      v.string(),
      v.check((city) => city !== 'Atlantis', 'It has sunk.'),
    ),
  }),
});
const bergen = { city: 'Bergen' };

const createShipping = () => {
  const shipped: unknown[] = [];
  const ship = defineTool({
    name: 'ship',
    description: 'Ships an order.',
    input: v.object({ orderId: v.number() }),
    run: ({ orderId }, { blackboard }) => {
      shipped.push([orderId, blackboard.entries()]);
      return 'shipped';
    },
  });
  return { ship, shipped };
};

async function callDecided(decision: Decision) {
  const { ship, shipped } = createShipping();
  const { call, asked, board } = createDecidedCall('ship', [decision]);
  const result = await requireType(ship, Address).call({ orderId: 7 }, call);
  return { result, asked, shipped, board };
}

describe('a tool that requires a type', () => {
  it("waits for a value of the type, puts it on the blackboard, and runs with the model's input (DEC-17)", async () => {
    const { asked, shipped, result } = await callDecided({ decision: 'edit', input: bergen });
    expect(asked).toEqual([
      {
        for: 'decision',
        message: "Tool 'ship' needs a value of type 'Address'.",
        allows: ['edit', 'reject', 'exit'],
        schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ]);
    expect(shipped).toEqual([[7, [{ value: bergen, type: 'Address' }]]]);
    expect(result.content).toBe('shipped');
  });

  it('runs at once if the blackboard has a value (DEC-17)', async () => {
    const { ship, shipped } = createShipping();
    const { call, asked } = createDecidedCall('ship', []);
    call.blackboard.add({ city: 'Atlantis' }, { type: 'Address' });
    call.blackboard.add(bergen, { type: 'Address' });
    call.blackboard.add({ city: 7 }, { type: 'Other' });
    await requireType(ship, Address).call({ orderId: 7 }, call);
    expect(asked).toEqual([]);
    expect(shipped).toHaveLength(1);
  });

  it('asks again if the newest value is no longer valid', async () => {
    const { ship } = createShipping();
    const { call, asked, board } = createDecidedCall('ship', [{ decision: 'edit', input: bergen }]);
    call.blackboard.add(bergen, { type: 'Address' });
    call.blackboard.add({ town: 'Getaria' }, { type: 'Address' });
    await requireType(ship, Address).call({ orderId: 7 }, call);
    expect(asked).toHaveLength(1);
    expect(board.at(-1)).toEqual({ value: bergen, type: 'Address' });
  });

  it('asks with the configured message and an initial hint (DEC-19)', async () => {
    const { ship } = createShipping();
    const { call, asked } = createDecidedCall('ship', [{ decision: 'reject' }]);
    const asking = requireType(ship, Address, {
      message: ({ orderId }) => `Where does ${orderId} go?`,
      hint: bergen,
      by: 'clerk',
      expires: 5,
      onExpiry: 'exit',
    });
    await asking.call({ orderId: 7 }, call);
    expect(asked).toEqual([
      {
        for: 'decision',
        message: 'Where does 7 go?',
        allows: ['edit', 'reject', 'exit'],
        schema: { ...Address.json, default: bergen },
        by: 'clerk',
        expires: 5,
        onExpiry: 'exit',
      },
    ]);
  });

  it.each<[Decision, object]>([
    [
      { decision: 'reject' },
      {
        reason: 'declined',
        message: "This call of 'ship' was declined and did not run. Do not repeat it unchanged.",
      },
    ],
    [
      { decision: 'exit' },
      {
        reason: 'declined',
        message: 'Rejected by reviewer: {"orderId":7}',
        signal: { type: 'exit', reason: 'Rejected by reviewer: {"orderId":7}' },
      },
    ],
  ])('does not run for %j', async (decision, error) => {
    const { result, shipped, board } = await callDecided(decision);
    expect(result).toEqual({ type: 'error', ...error });
    expect([shipped, board]).toEqual([[], []]);
  });

  it('asks once more if the value is invalid in a way that its JSON Schema cannot express', async () => {
    const { ship, shipped } = createShipping();
    const sunk = { city: 'Atlantis' };
    const { call, asked } = createDecidedCall('ship', [
      { decision: 'edit', input: sunk },
      { decision: 'edit', input: bergen },
    ]);
    await requireType(ship, Address, { expires: 5, onExpiry: 'exit' }).call({ orderId: 7 }, call);
    expect(asked).toMatchObject([
      { message: "Tool 'ship' needs a value of type 'Address'." },
      {
        message:
          "Tool 'ship' needs a value of type 'Address'.\nWhat was sent is not valid, and nothing has run:\n- city: It has sunk.",
        allows: ['edit', 'reject', 'exit'],
        expires: 5,
        onExpiry: 'exit',
      },
    ]);
    expect(shipped).toEqual([[7, [{ value: bergen, type: 'Address' }]]]);
  });

  it('does not ask about an invalid input', async () => {
    const { call, asked } = createDecidedCall('ship', [{ decision: 'edit', input: bergen }]);
    const result = await requireType(createShipping().ship, Address).call({}, call);
    expect([result.type, asked]).toEqual(['error', []]);
  });

  it('reports that no person can send a value outside a session', async () => {
    const { call } = createDecidedCall('ship', [], { inSession: false });
    await expect(requireType(createShipping().ship, Address).call({ orderId: 7 }, call)).rejects.toThrow(
      "Tool 'ship' requires a value of type 'Address' but no ReviewHandler is configured. " +
        'Run it in a session, where a person can decide, or review it with withReview.',
    );
  });

  it('does not run without a value after the expiry', () => {
    const options = { onExpiry: 'approve' } as object; // Plain JavaScript can pass this.
    expect(() => requireType(createShipping().ship, Address, options)).toThrow(
      "Tool 'ship': its onExpiry is 'approve'. It must be 'reject' or 'exit'.",
    );
  });

  it('is refused at its definition if it leaves no time to answer', () => {
    expect(() => requireType(createShipping().ship, Address, { expires: 0 })).toThrow(
      "Tool 'ship': its expires is 0. It must be more than 0 and at most 9007199254740991 milliseconds.",
    );
  });
});
