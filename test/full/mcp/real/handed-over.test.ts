import { expect, it } from 'vitest';
import { readJournal } from '../../../gate/workerd/http/client.ts';
import { getKind } from './leak-paths.ts';
import { createRealRun } from './real-run.ts';
import { createCallReply, createRealTalk } from './real-talk.ts';

const ROUNDS = 12;

it('a turn that is too long for one invocation reconnects in the next invocation without repeating calls', async () => {
  const run = createRealRun('memory');
  const createEntity = (at: number) => ({ name: `e${at}`, entityType: 'thing', observations: [] });
  const rounds = Array.from({ length: ROUNDS }, (_, at) =>
    createCallReply('create_entities', { entities: [createEntity(at)] }),
  );
  const talk = createRealTalk(run, { replies: [...rounds, 'Done.'], app: { limits: { subrequests: 40 } } });
  const accepted = await talk.say({}, { prefer: 'respond-async' });
  let parts = 0;
  let types: unknown[] = [];
  while (types.at(-1) !== 'turn-ended') {
    await talk.resume(String(accepted.turn));
    parts += 1;
    types = (await readJournal(talk.session, talk.via)).map(({ type }) => type);
  }
  expect(parts).toBeGreaterThan(1);
  expect(types.filter((type) => type === 'turn-yielded')).toHaveLength(parts - 1);
  expect(talk.shown()).toEqual(rounds.map((_, at) => JSON.stringify([createEntity(at)], null, 2)));
  const kinds = (await run.requests()).map(getKind);
  const countRequests = (kind: string): number => kinds.filter((one) => one === kind).length;
  expect([countRequests('tools/list'), countRequests('tools/call')]).toEqual([1, ROUNDS]);
  expect(countRequests('initialize')).toBe(parts);
});
