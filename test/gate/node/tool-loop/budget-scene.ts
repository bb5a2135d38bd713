import type { ModuleUse } from '../../../../src/index.ts';
import { type AnyTool, defineAgent, type Limits } from '../../../../src/index.ts';
import type { SessionEvent, StoredEvent } from '../../../../src/journal/entry.ts';
import { type BudgetOptions, budget } from '../../../../src/modules/limits/entry.ts';
import {
  createManualClock,
  createTestSession,
  type ScriptedModelOptions,
  type ScriptedReply,
  scriptedModel,
  type TestSession,
} from '../../../../src/testing/entry.ts';

interface Scene extends ScriptedModelOptions {
  readonly limits?: Limits;
  readonly use?: readonly ModuleUse[];
  readonly budget?: BudgetOptions;
  readonly tools?: readonly AnyTool[];
  readonly warm?: boolean;
}

/** Returns a session of an agent with these limits, whose model follows a script. */
export function createScene(
  replies: readonly ScriptedReply[],
  { limits, use = [], budget: bounds, tools = [], warm, ...model }: Scene = {},
): TestSession {
  const agent = defineAgent({
    name: 'clerk',
    description: 'Works.',
    instructions: 'Work.',
    tools,
    limits,
    use: [...use, ...(bounds ? [budget(bounds)] : [])],
  });
  return createTestSession(agent, {
    model: scriptedModel(replies, model),
    clock: createManualClock(1_000),
    warm,
  });
}

type EventType = SessionEvent['type'];

export async function listEvents<T extends EventType>(session: TestSession, type: T) {
  const events = await session.events();
  return events.filter((event): event is Extract<StoredEvent, { type: T }> => event.type === type);
}

/** Returns the reservation that this event contains, or `undefined`. */
export function getReservation(event: SessionEvent): HeldReservation | undefined {
  if (event.type !== 'module-event' || event.module !== 'budgets') return undefined;
  const [fact] = event.facts ?? [];
  return (
    fact && {
      ...(fact.fact as Omit<HeldReservation, 'frame'>),
      ...(event.frame !== undefined && { frame: event.frame }),
    }
  ); // The module writes facts of this type.
}

interface HeldReservation {
  readonly frame?: string;
  readonly reserved: { readonly inputTokens: number; readonly outputTokens: number; readonly cost?: number };
  readonly request: object;
}

export const readReservations = async (session: TestSession): Promise<readonly HeldReservation[]> =>
  (await session.events()).flatMap((event) => getReservation(event) ?? []);

export const readReservedTokens = async (session: TestSession) =>
  (await readReservations(session)).map(({ reserved }) => reserved);

/** Returns the reserved input tokens of a message in the smallest possible request. */
export async function measureInput(message: string, tools?: readonly AnyTool[]): Promise<number> {
  const session = createScene(['Done.'], { budget: { tokens: 1_000_000 }, ...(tools && { tools }) });
  await session.send(message);
  return (await readReservedTokens(session))[0]?.inputTokens ?? 0;
}

export const createReplyWithUsage = (inputTokens: number, outputTokens: number, more: object = {}) => ({
  ...more,
  usage: { inputTokens, outputTokens },
});

export const PRICES = { input: 3, output: 15 };
