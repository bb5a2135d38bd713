import { onTestFinished, vi } from 'vitest';
import type { ToolSource } from '../../../../src/index.ts';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import { LEASE_MS } from '../session/former-holder.ts';
import { type ClockedApp, createClockedApp, type MemoryApp } from '../session/memory-app.ts';

export const createApp = (tools: readonly ToolSource[], replies: readonly ScriptedReply[]): ClockedApp =>
  createClockedApp({ tools, replies, leaseMs: LEASE_MS });

/** Returns the names of the offered tools in each request. */
export const getOfferedTools = ({ model }: MemoryApp): readonly (readonly string[])[] =>
  model.requests.map(({ tools }) => tools.map(({ name }) => name));

export async function readEvents({ port }: MemoryApp): Promise<readonly StoredEvent[]> {
  const rows = (await port.read({ from: 1 }))?.rows ?? [];
  return rows.map(({ body }) => JSON.parse(body));
}

export const readListingEvents = async (app: MemoryApp) =>
  (await readEvents(app)).filter(({ type }) => type === 'tools-listed');

/** Records logged errors until the end of the test, instead of printing them. */
export function captureErrors(): readonly (readonly unknown[])[] {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  return log.mock.calls;
}

/** Returns the message of each logged error, without the thrown value. */
export const getMessages = (logged: readonly (readonly unknown[])[]): readonly unknown[] =>
  logged.map(([message]) => message);

export const DISCOVERY_ERROR = "holdfast: the strategy 'dynamic-tools' could not find its tools";
