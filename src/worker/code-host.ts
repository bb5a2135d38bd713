import type { ToolCallContext } from '../tool/tool-call-context.ts';
import type { InvokedHost } from './host.ts';
import type { HttpHost } from './route.ts';

/** The view of an app for code that uses its sessions, with a function that keeps the invocation alive. */
export interface CodeHost extends Pick<InvokedHost, 'waitUntil'> {
  readonly host: HttpHost;
  /** Set if a client of another protocol sends the messages. Absent if the app itself sends them. */
  readonly sentBy?: ClientContext | undefined;
}

/** The limits of a client's context, and the context from its headers. */
interface ClientContext {
  readonly bodyContext: ReadonlySet<string>;
  readonly contextOfHeaders: ToolCallContext;
  /** The place of the parts in the body. Defaults to `message`. */
  readonly partsAt?: string | undefined;
}

/** The apps by the return value of `createHoldfast`. */
export const APPS = new WeakMap<object, CodeHost>();
