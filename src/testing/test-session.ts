import type { Agent } from '../agent/define-agent.ts';
import type { StoredEvent } from '../journal/events.ts';
import type { Leased, NotResumed } from '../journal/session-port.ts';
import type { SessionState } from '../journal/state.ts';
import type { ChatModel, ModelRequest } from '../model/chat-model.ts';
import { type Clock, systemClock } from '../session/clock.ts';
import { turnStopped } from '../session/follow-session.ts';
import type { TurnEnd } from '../session/run-turn.ts';
import { toSessionName } from '../session/session-name.ts';
import { answerOf, type TurnAnswer } from '../session/turn-answer.ts';
import type { JsonObject } from '../tools/json.ts';
import { ToolCallContext } from '../tools/tool-call-context.ts';
import { createMemorySessions } from './memory-session.ts';
import { type ScriptedReply, scriptedModel } from './scripted-model.ts';
import { turnSteps } from './turn-steps.ts';

/** Who answers: a script, or a model. It takes the place of the agent's own. */
export type TestModel =
  | { readonly replies: readonly ScriptedReply[]; readonly model?: undefined }
  | { readonly model: ChatModel; readonly replies?: undefined };

export type TestSessionOptions = TestModel & {
  /** Of every message, as request headers that the app maps would give it. */
  readonly context?: JsonObject | undefined;
  /** The system's unless given. */
  readonly clock?: Clock | undefined;
  /** The term of a lease, 20 s unless given. */
  readonly leaseMs?: number | undefined;
};

/** What a request body may say beside the message. */
export interface SendOptions {
  readonly context?: JsonObject | undefined;
  readonly loopId?: string | undefined;
}

/** One session of one agent, in memory, with the real tool loop and the rules of the Durable Object. */
export interface TestSession {
  /**
   * Runs a turn and answers as `POST .../messages` does. A turn that fails is an answer too, with the outcome `failed`.
   *
   * @throws Error when the turn comes to wait for a decision, and when an earlier one runs or waits (over HTTP: 202, 409).
   */
  send(message: string, options?: SendOptions): Promise<TurnAnswer>;
  /** What the model was shown, oldest first. */
  readonly requests: readonly ModelRequest[];
  /** The journal so far. */
  events(): Promise<readonly StoredEvent[]>;
  /** The fold of the journal. @throws Error before the first `send`. */
  state(): Promise<SessionState>;
  /** What a crash of the object does: its rows stay, its memory goes. A turn that runs goes on. */
  restart(): void;
  /**
   * What a crash of the Worker does, to be called from a tool or a reply: whatever the invocation that runs the turn
   * still does is lost. Its lease expires at once, and another invocation goes on; `send` answers what that one comes to.
   * A reply that was not stored yet is asked for again, so a script then needs it twice.
   */
  kill(): void;
}

const ADDRESS = { owner: 'tester', session: 'test' };

/** Makes a session for a test of `agent`. It needs no Worker, no network and no clean-up. */
export function createTestSession(agent: Agent, options: TestSessionOptions): TestSession {
  const { leaseMs = 20_000, context = {} } = options;
  const clock = skippable(options.clock ?? systemClock);
  const { model, requests } = recorded(options.model ?? scriptedModel(options.replies));
  const name = toSessionName({ ...ADDRESS, agent: agent.name });
  const sessions = createMemorySessions({ clock, leaseMs, dispatch: ({ turn }) => goOn(turn) });
  const port = sessions.session(name);
  const steps = turnSteps({ port, agent: { ...agent, model }, model, clock });
  let die: (() => void) | undefined;

  /** Invocations of the Worker, one after another, until one stops that was not killed. */
  async function drive(turn: string, first: Leased): Promise<void> {
    let leased: Leased | undefined = first;
    while (leased) {
      const successor = new Promise<Leased | NotResumed>((resolve) => {
        die = () => {
          die = undefined;
          clock.skip(2 * leaseMs);
          // The session changes hands within this call, so nothing that the dead one still sends is stored.
          resolve(steps.resume(turn));
        };
      });
      const end: TurnEnd | Leased | NotResumed = await Promise.race([steps.run(leased), successor]);
      leased = end.status === 'leased' ? end : undefined;
    }
    die = undefined;
  }

  async function goOn(turn: string): Promise<void> {
    const leased = await steps.resume(turn);
    if (leased.status === 'leased') await drive(turn, leased);
  }

  async function answer(turn: string): Promise<TurnAnswer> {
    const events = await turnStopped({ port, clock, turn, signal: new AbortController().signal });
    const answered = answerOf(ADDRESS.session, agent.name, events);
    if (!answered) throw new Error(`Turn ${turn} waits for a decision; \`state()\` shows for which.`);
    return answered;
  }

  return {
    requests,
    async send(message, { context: more = {}, loopId } = {}) {
      const leased = await steps.begin({
        message,
        loopId,
        context: ToolCallContext.of(context).merge(ToolCallContext.of(more)),
      });
      if (leased.status !== 'leased') throw new Error(`The session took no message: it is ${leased.status}.`);
      const turn = leased.page.openTurn?.id ?? '';
      await drive(turn, leased);
      return answer(turn);
    },
    events: steps.events,
    state: steps.state,
    restart: () => sessions.restart(name),
    kill: () => die?.(),
  };
}

/** A clock that can be put forward. What is waited for by it falls due as before. */
function skippable(clock: Clock): Clock & { skip(ms: number): void } {
  let skipped = 0;
  return {
    now: () => clock.now() + skipped,
    after: (ms, run) => clock.after(ms, run),
    skip(ms) {
      skipped += ms;
    },
  };
}

function recorded(given: ChatModel): {
  readonly model: ChatModel;
  readonly requests: readonly ModelRequest[];
} {
  const requests: ModelRequest[] = [];
  const model: ChatModel = {
    name: given.name,
    ask(request, options) {
      requests.push(request);
      return given.ask(request, options);
    },
  };
  return { model, requests };
}
