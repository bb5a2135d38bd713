import type { ToolCallContext } from '../tool/tool-call-context.ts';
import type { Invoked } from './host.ts';
import type { HttpHost } from './route.ts';

/** An app, as code that asks its sessions has it, and what keeps the invocation alive. */
export interface CodeHost extends Pick<Invoked, 'waitUntil'> {
  readonly host: HttpHost;
  /** Messages come from a client, in another protocol than ours; absent: they are the app's own. */
  readonly sentBy?: SentBy | undefined;
}

/** What a client may say beside a message, and what its headers say. */
interface SentBy {
  readonly bodyContext: ReadonlySet<string>;
  readonly contextOfHeaders: ToolCallContext;
  /** Where the parts of its messages are in its body. Defaults to `message`. */
  readonly partsAt?: string | undefined;
}

/** The apps that `createHoldfast` has made, by what it has returned. */
export const APPS = new WeakMap<object, CodeHost>();
