/** A call with the effect `once` that asks inside `run`, in Workers that crash. */
import { expect, it } from 'vitest';
import { defineTool } from '../../../../../src/index.ts';
import { crashMatrix } from '../../../../../src/testing/crash-matrix/entry.ts';
import { createDeliveryTool, createTestAgent } from './deliveries.ts';

it('a `once` call with a checkpoint never runs twice, regardless of where the Worker crashes', async () => {
  const report = await crashMatrix(
    createTestAgent(defineTool({ ...createDeliveryTool(), reconcile: () => 'unknown' })),
    {
      steps: [
        { send: 'Deliver.', replies: [{ calls: ['deliver'] }, 'Done.'] },
        { decide: 'deliver', as: 'approve' },
      ],
    },
  );
  expect(report.failures).toEqual([]);
  expect(report).toMatchObject({ passed: true, messagesLost: 0, effectsDoubled: 0 });
});
