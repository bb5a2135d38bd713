import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clerk } from '../../../../src/examples/shop-in-d1/clerk.ts';
import { createTestSession, type TestSession } from '../../../../src/testing/entry.ts';

const miniflare = new Miniflare({
  cf: false,
  workers: [
    {
      config: {
        name: 'db',
        compatibilityDate: '2026-11-01',
        manifest: {
          mainModule: 'db.js',
          modules: { 'db.js': { type: 'esm', contents: 'export default {}' } },
        },
        env: { SHOP_DB: { type: 'd1', id: 'shop' } },
      },
    },
  ],
});
let db: D1Database;

beforeAll(async () => {
  ({ SHOP_DB: db } = await miniflare.getBindings<Cloudflare.Env>());
  await db.exec(
    'CREATE TABLE orders (id TEXT PRIMARY KEY, tenant TEXT NOT NULL, status TEXT NOT NULL) STRICT',
  );
  await db.exec(
    'CREATE TABLE notes (key TEXT PRIMARY KEY, order_id TEXT NOT NULL, text TEXT NOT NULL) STRICT',
  );
  await db.exec("INSERT INTO orders VALUES ('A-17', 'acme', 'sent')");
}, 60_000);
afterAll(() => miniflare.dispose());

it('the clerk stores a note once, even if the Worker is killed right after the write', async () => {
  let writes = 0;
  const run = async (statement: D1PreparedStatement) => {
    const result = await statement.run();
    writes += 1;
    if (writes === 1) session.kill();
    return result;
  };
  const prepare = (sql: string) => {
    const statement = db.prepare(sql);
    if (!sql.startsWith('INSERT')) return statement;
    return { bind: (...values: unknown[]) => ({ run: () => run(statement.bind(...values)) }) };
  };
  const session: TestSession = createTestSession(clerk, {
    env: { SHOP_DB: { prepare } },
    principal: { id: 'ann', tenant: 'acme' },
    replies: [{ calls: [{ name: 'add_note', input: { id: 'A-17', text: 'Late.' } }] }, 'Noted.'],
  });
  const answer = await session.send('Note that order A-17 is late.');
  expect(answer).toMatchObject({ outcome: 'completed', text: 'Noted.' });
  const { results } = await db.prepare('SELECT order_id, text FROM notes').all();
  expect({ writes, results }).toEqual({ writes: 2, results: [{ order_id: 'A-17', text: 'Late.' }] });
});
