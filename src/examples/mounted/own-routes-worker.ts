import { Hono } from 'hono';
import { bearerToken, createHoldfast, SessionError, sessionOf } from '../../create-holdfast.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';
import { clerk } from '../first/clerk.ts';

interface Bindings {
  readonly SHOP_TOKEN: string;
}

/** The routes of the app and those of Holdfast authenticate in the same way. */
const auth = bearerToken('SHOP_TOKEN');
const holdfast = createHoldfast<Bindings>({ agents: [clerk], model: orOffline(openaiCompatible()), auth });

const app = new Hono<{ Bindings: Bindings }>();
app.get('/', (c) => c.text('The shop.'));
app.route('/ai', holdfast.routes);

app.post('/invoices/:number/pay', async (c) => {
  const principal = await auth(c.req.raw, c.env);
  if (!principal) return c.text('Log in first.', 401);
  const number = c.req.param('number');
  const session = sessionOf(holdfast, c.env, { agent: clerk, session: number, principal });
  try {
    const message = `Please pay invoice ${number}.`;
    const { outcome, artifacts } = await session.send(message, { idempotencyKey: `pay-${number}` });
    return c.json({ outcome, artifacts });
  } catch (failure) {
    if (failure instanceof SessionError && failure.type === 'session-busy') return c.text('Try later.', 409);
    throw failure;
  }
});

export default { ...holdfast.worker, fetch: app.fetch } satisfies ExportedHandler<Bindings>;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
