import { blackboardSink } from '../sinks/blackboard-sink.ts';
import type { AnyTool } from '../tool.ts';
import type { ArtifactType } from '../tool-result.ts';
import { type SinkOptions, sinkArtifacts, type TransformOptions } from './sink-artifacts.ts';

/** Which artifacts are published, what is made of them first, and under which name. */
export type PublishOptions<T extends AnyTool, Type extends ArtifactType | undefined> = SinkOptions<T, Type> &
  Partial<Pick<TransformOptions<T, Type, unknown>, 'into'>> & {
    readonly transform?: TransformOptions<T, Type, unknown>['transform'] | undefined;
    /** Binds each artifact to this name; the newest one is found by it. */
    readonly name?: string | undefined;
  };

/**
 * Publishes the artifacts of a tool to the session's blackboard, all of them unless a type is given (DEC-08): other tools,
 * conditions and clients see them once the call has succeeded. What `transform` makes must be JSON.
 */
export function publishToBlackboard<T extends AnyTool, Type extends ArtifactType | undefined = undefined>(
  tool: T,
  options: PublishOptions<T, Type> = {},
): T {
  const { name, transform, into, ...which } = options;
  const sink = blackboardSink({ name });
  return transform
    ? sinkArtifacts(tool, sink, { ...which, transform, into })
    : sinkArtifacts(tool, sink, which);
}
