/** The rows that an index adds to a turn, which the platform bills. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { expect, it } from 'vitest';
import { toSessionName } from '../../../../doors/session.ts';
import { setTime } from '../../../../fixtures/held-time.ts';
import { countRows } from '../../durable-objects/rows.ts';
import { post } from '../../http/client.ts';
import { createTenant, listEntry, SESSIONS_PATH } from './indexed.ts';

/** Far enough in the future that no alarm fires by itself. */
const START = Date.UTC(2100, 0, 1);

it('a running turn adds one row for the index, and three after its report', async () => {
  const shop = createTenant();
  let now = START;
  setTime(toSessionName({ owner: { tenant: shop.name }, agent: 'indexed', session: 's1' }), () => now);
  const reportTurns = async (turns: number) => {
    now += 1_000;
    await runDurableObjectAlarm(shop.stub('s1'));
    await shop.lists([listEntry('s1', 'idle', { turns })]);
  };
  await shop.say('s1', 'One.', 'Two.');
  await reportTurns(1);
  const turn = await countRows(shop.stub('s1'), () => shop.say('s1'));
  const report = await countRows(shop.stub('s1'), () => reportTurns(2));
  // A turn without an index writes five rows.
  expect([turn.written, report.written]).toEqual([5 + 1, 3]);
});

it('all waiting messages of a session share one row for the index', async () => {
  const shop = createTenant();
  setTime(toSessionName({ owner: { tenant: shop.name }, agent: 'indexed', session: 's1' }), () => START);
  for (const message of ['One.', 'Two.', 'Three.'])
    await (await post(`${SESSIONS_PATH}/s1`, { message, delaySeconds: 3_600 }, shop)).text();
  const lanes = await runInDurableObject(shop.stub('s1'), (_, { storage }) =>
    storage.sql.exec<{ ref: string }>("SELECT ref FROM agenda WHERE kind = 'due'").toArray(),
  );
  const refs = lanes.map(({ ref }) => JSON.parse(ref)).filter(({ outside }) => outside === undefined);
  expect(refs).toMatchObject([{ module: 'index', refs: ['look'] }]);
});
