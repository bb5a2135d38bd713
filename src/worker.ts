/** This repository's own Worker: the example agents behind the HTTP app. */
import { createHoldfast } from './worker-entry.ts';

const holdfast = createHoldfast({ agents: [] });

export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../durable-objects/index.ts';
