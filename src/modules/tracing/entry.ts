/** The entry `holdfast/tracing`: traces and metrics of turns, which come from their journals. */
import { LOOPS } from '../../loop/loop-seams.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import { DeploymentError } from '../../session/deployment.ts';
import { STOP_SEAM } from '../../session/turn-end.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { withFullStop } from '../../tool/shown.ts';
import { APP } from '../../worker/app-seam.ts';
import { DUE } from '../../worker/background.ts';
import type { Env } from '../../worker/host.ts';
import { findUrlProblem } from '../outgoing-webhooks/post.ts';
import { isDataset } from './analytics.ts';
import { createRows, type ExportSettings, exportTurn, resolveTarget } from './export.ts';
import { createLoopSeam, type PlatformTracing } from './in-loops.ts';

export type { PlatformSpan, PlatformTracing } from './in-loops.ts';
export { traceHeaders } from './trace-context.ts';

/** The configuration of `tracing`. */
export interface TracingConfig {
  /**
   * The name, if the app has several receivers: 1 to 64 of `A-Z a-z 0-9 _ -`. Sessions store unsent work
   * under it.
   */
  readonly name?: string | undefined;
  /**
   * The receiver of OTLP over HTTP, without `/v1/traces`: an `https` URL, or `http` on localhost. By default,
   * no data is sent.
   */
  readonly endpoint?: string | ((env: Env) => unknown) | undefined;
  /** The headers of each request, such as an API key: `(env) => ({ 'x-api-key': env.OTLP_KEY })`. */
  readonly headers?: ((env: Env) => unknown) | undefined;
  /** The `service.name` of all data. Defaults to `holdfast`. */
  readonly service?: string | undefined;
  /** Other attributes of the resource, such as `deployment.environment.name`. */
  readonly resource?: Readonly<Record<string, string>> | undefined;
  /**
   * `true` to export messages, replies, arguments and results. They can contain personal data. Defaults to
   * `false`.
   */
  readonly content?: boolean | undefined;
  /** `false` to export no metrics to `endpoint`. Defaults to `true`. */
  readonly metrics?: boolean | undefined;
  /** The dataset of Workers Analytics Engine: `(env) => env.TURNS`. By default, no points are written. */
  readonly analytics?: ((env: Env) => unknown) | undefined;
  /**
   * `tracing` from `cloudflare:workers`, for spans in the traces of the platform. By default, no such spans
   * are created.
   */
  readonly platform?: PlatformTracing | undefined;
}

/**
 * Traces turns. Pass it in `use` of `createHoldfast`. When a turn has ended, its spans and metrics are
 * created from its journal. An agenda row sends them at least once, with retries, and never before the
 * answer. Model requests and tools receive the trace context.
 *
 * @example
 * ```ts
 * const traced = tracing({
 *   endpoint: (env) => env.OTLP_ENDPOINT,
 *   headers: (env) => ({ authorization: `Bearer ${env.OTLP_TOKEN}` }),
 *   service: 'shop',
 * });
 * ```
 *
 * @throws ConfigurationError if a setting is invalid.
 */
export function tracing(config: TracingConfig): ModuleUse {
  checkSettings(config);
  const { name = '', endpoint, headers, service = 'holdfast', platform } = config;
  const { resource = {}, content = false, metrics = true, analytics } = config;
  const exporting: ExportSettings = {
    ...(endpoint !== undefined && { endpoint: typeof endpoint === 'function' ? endpoint : () => endpoint }),
    ...(headers && { headers }),
    ...(analytics && { analytics }),
    ...{ resource: { ...resource, 'service.name': service }, content, metrics },
  };
  const use = createUse(TRACING_MODULE, name);
  LOOPS.give(use, createLoopSeam(platform));
  STOP_SEAM.give(use, (turn) => ({ agenda: createRows(exporting, turn) }));
  DUE.give(use, (row, app) => exportTurn(app, row, exporting));
  APP.give(use, {
    checks: ({ env }) => [
      () => {
        const target = endpoint === undefined ? undefined : resolveTarget(exporting, env);
        const problem =
          typeof target === 'string'
            ? `tracing() ${withFullStop(target)}`
            : analytics && !isDataset(analytics(env))
              ? 'tracing() has no dataset: `analytics` must return an Analytics Engine binding.'
              : undefined;
        if (problem !== undefined) throw new DeploymentError(problem);
      },
    ],
  });
  return use;
}

/** Each receiver is a use of this module, with its name as the key. */
const TRACING_MODULE = createModule({ name: 'tracing' });

const SHAPE = {
  of: 'tracing',
  keys: {
    name: 'text',
    endpoint: 'any',
    headers: 'function',
    service: 'text',
    resource: 'object',
    content: 'flag',
    metrics: 'flag',
    analytics: 'function',
    platform: 'any',
  },
  required: [],
  foreign: { url: 'endpoint', serviceName: 'service', recordContent: 'content' },
} satisfies LiteralShape<keyof TracingConfig>;

/** @throws ConfigurationError if a setting is invalid. */
function checkSettings(config: TracingConfig): void {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new ConfigurationError(`tracing() ${withFullStop(fault.problem)}`);
  const { name, endpoint } = config;
  if (name !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw new ConfigurationError("tracing() needs a 'name' of 1 to 64 of the characters A-Z a-z 0-9 _ -.");
  const problem = typeof endpoint === 'string' ? findUrlProblem(endpoint, 'endpoint') : undefined;
  if (problem !== undefined) throw new ConfigurationError(`tracing() ${problem}.`);
}
