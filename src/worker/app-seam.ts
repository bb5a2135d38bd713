/** Where modules plug into an app: its routes, and the entries of its Worker. */
import { defineSeam } from '../tool/module-use.ts';
import type { AppFiles } from './app-files.ts';
import type { HostedApp, Invoked } from './host.ts';
import type { HttpHost, Route } from './route.ts';

/** An app, as its modules see it while it is made. */
export interface MountingApp {
  readonly host: HttpHost;
  /** The routes so far: those of every app, then those of the modules before this one. Requests see all routes in it. */
  readonly table: readonly Route[];
}

/** An app, as one invocation of its Worker has it. */
export interface InvokedApp extends HostedApp {
  readonly host: HttpHost & Invoked;
}

/** What is used of a cron event. */
export interface CronTime {
  readonly cron: string;
  /** In milliseconds since the epoch. */
  readonly scheduledTime: number;
}

/** What a module brings to an app. Several uses of a module that share one object bring it once. */
export interface AppParts {
  /** Returns its routes, when the app is made. @throws ConfigurationError if the app cannot have them. */
  routes?(app: MountingApp): readonly Route[];
  /** Runs at each time of the `crons` of wrangler.toml. What it throws shows the event as failed. */
  scheduled?(app: InvokedApp, time: CronTime): Promise<void>;
  /** How messages hold files. */
  readonly files?: AppFiles | undefined;
}

/** What uses of modules bring to an app. */
export const APP = defineSeam<AppParts>();

/** Returns what the modules of an app bring to it, each once. */
export const appParts = ({ modules }: Pick<HttpHost, 'modules'>): readonly AppParts[] => [
  ...new Set(modules.uses.flatMap((use) => APP.of(use) ?? [])),
];
