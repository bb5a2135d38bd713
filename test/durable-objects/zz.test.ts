import { runInDurableObject } from 'cloudflare:test';
import { it, vi } from 'vitest';
import { event, goingOn, keyed, starting, startOf } from '../session-contract/harness.ts';
import { makeObjectHarness } from './object-harness.ts';

it('measure', async () => {
  const h = makeObjectHarness();
  const count = (label: string, f: (o: any) => void) =>
    runInDurableObject(h.stub(), (o, { storage }) => {
      const exec = vi.spyOn(storage.sql, 'exec');
      const alarm = vi.spyOn(storage, 'setAlarm');
      const del = vi.spyOn(storage, 'deleteAlarm');
      const tx = vi.spyOn(storage, 'transactionSync');
      f(o);
      const w = exec.mock.results.reduce((s, r) => s + (r.value as any).rowsWritten, 0);
      const rd = exec.mock.results.reduce((s, r) => s + (r.value as any).rowsRead, 0);
      console.log(label, {
        execs: exec.mock.calls.length,
        written: w,
        read: rd,
        setAlarm: alarm.mock.calls.length,
        deleteAlarm: del.mock.calls.length,
        tx: tx.mock.calls.length,
      });
      vi.restoreAllMocks();
    });
  await count('begin new session', (o) => o.begin(starting('t1', 'a')));
  await count('append 3', (o) =>
    o.append(1, 3, { events: [event('t1', 'x'), event('t1', 'y'), event('t1', 'z')], progress: true }),
  );
  await count('renew', (o) => o.renew(1));
  await count('append ended', (o) => o.append(1, 6, { events: [event('t1', 'end')], release: 'ended' }));
  await count('begin 2nd turn keyed', (o) => o.begin({ ...starting('t2', 'b', keyed('k')) }));
  await count('append yielded', (o) => o.append(2, 8, { events: [event('t2', 'y')], release: 'yielded' }));
  await count('takeover', (o) => o.begin(goingOn('t2', 'c')));
  await count('append ended', (o) => o.append(3, 9, { events: [event('t2', 'end')], release: 'ended' }));
  await count('accept', (o) => o.accept(startOf('t3')));
  const s = h.session;
  await s.begin(goingOn('t3', 'd'));
  const N = 2000;
  const t = performance.now();
  for (let i = 0; i < N; i++)
    await s.append(4, 11 + 3 * i, {
      events: [event('t3', 'x'.repeat(300)), event('t3', 'y'), event('t3', 'z')],
      progress: true,
    });
  console.log('append of 3 over RPC, ms each', (performance.now() - t) / N);
  const t2 = performance.now();
  for (let i = 0; i < N; i++) await s.renew(4);
  console.log('renew', (performance.now() - t2) / N);
  await s.append(4, 11 + 3 * N, { events: [event('t3', 'x')], release: 'ended' });
  const t3 = performance.now();
  for (let i = 0; i < 20; i++) {
    await s.begin({ ...starting('u' + i, 'n' + i), reader: { reducer: 1, messageTypes: [], maxBytes: 1 } });
    await s.append(5 + i, 13 + 3 * N + 2 * i, { events: [event('u' + i, 'x')], release: 'ended' });
  }
  console.log('begin+end in session of 6000 events', (performance.now() - t3) / 20);
  const t4 = performance.now();
  const r = await s.begin(starting('full', 'nf'));
  console.log('begin reading all', performance.now() - t4, (r as any).page.rows.length);
}, 60000);
