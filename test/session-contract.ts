import { describe } from 'vitest';
import { answeringContract } from './session-contract/answering.ts';
import { appendingContract } from './session-contract/appending.ts';
import { erasingContract } from './session-contract/erasing.ts';
import type { MakeHarness } from './session-contract/harness.ts';
import { inboxContract } from './session-contract/inbox.ts';
import { queueingContract } from './session-contract/queueing.ts';
import { readingContract } from './session-contract/reading.ts';
import { schedulingContract } from './session-contract/scheduling.ts';
import { startingContract } from './session-contract/starting.ts';
import { steeringContract } from './session-contract/steering.ts';
import { takingOverContract } from './session-contract/taking-over.ts';
import { wakingContract } from './session-contract/waking.ts';
import { watchingContract } from './session-contract/watching.ts';

/** What every storage of a session does. `makeHarness` makes a fresh session for each fact, whose time it holds. */
export function sessionContract(name: string, makeHarness: MakeHarness): void {
  describe(name, () => {
    startingContract(makeHarness);
    appendingContract(makeHarness);
    takingOverContract(makeHarness);
    inboxContract(makeHarness);
    answeringContract(makeHarness);
    queueingContract(makeHarness);
    steeringContract(makeHarness);
    schedulingContract(makeHarness);
    readingContract(makeHarness);
    wakingContract(makeHarness);
    watchingContract(makeHarness);
    erasingContract(makeHarness);
  });
}
