import type { Json } from '../json.ts';
import { ToolConfigurationError } from '../signals.ts';
import type { Sink } from './sink.ts';

/** How a blackboard sink publishes. */
export interface BlackboardSinkOptions {
  /** Binds each artifact to this name; the newest one is found by it. */
  readonly name?: string | undefined;
  /** Ends the turn as misconfigured when there is no blackboard, where otherwise the loss is only logged. */
  readonly strict?: boolean | undefined;
}

/**
 * Publishes artifacts to the session's blackboard, with the name of their type; they are there once their call has
 * succeeded. In a loop without a session there is no blackboard: the tool's result stands, and the log says so once
 * (DEC-09).
 */
export function blackboardSink({ name, strict = false }: BlackboardSinkOptions = {}): Sink {
  let told = false;
  return (artifact, { inSession, blackboard, tool, artifact: { type, json } }) => {
    if (inSession) {
      // What a transform made may not be JSON; `add` checks it.
      blackboard.add(json === undefined ? (artifact as Json) : json, { name, type });
      return;
    }
    const problem = `There is no session, so the artifact of tool '${tool}' was not published to a blackboard.`;
    if (strict) throw new ToolConfigurationError(problem);
    if (!told) console.warn(`holdfast: ${problem}`);
    told = true;
  };
}
