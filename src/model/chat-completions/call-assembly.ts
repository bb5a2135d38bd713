import type { RequestedCall, ToolCallPart } from '../parts.ts';
import { isRecord } from '../untrusted-json.ts';
import { invalidReply, isJsonObjectText, stringOf, withUniqueIds } from '../untrusted-reply.ts';
import { kept, merged } from './kept-fields.ts';

/** Puts the tool calls of one reply together from the fragments they arrive in. */
interface CallAssembly {
  /** @throws ModelError `invalid-reply` for a fragment of the wrong shape. */
  add(fragment: unknown): void;
  /**
   * The calls in the order in which they began, each with an id of its own, and with what its provider keeps beside it.
   *
   * @throws ModelError `invalid-reply` for a call that never got a name.
   */
  calls(): readonly ToolCallPart[];
}

/** Creates an empty assembly for one reply. */
export const createCallAssembly = (): CallAssembly => {
  const calls: OpenCall[] = [];
  const latestAt = new Map<number, OpenCall>();

  return {
    add(value) {
      const fragment = readFragment(value);
      const { index, id, name, input, extra } = fragment;
      const open = index === undefined ? calls.at(-1) : latestAt.get(index);
      if (open !== undefined && !opensAnother(open, fragment)) {
        open.id ||= id;
        open.name ||= name;
        open.input += input;
        open.extra = merged(open.extra, extra);
        return;
      }
      const call = { id, name, input, extra };
      calls.push(call);
      if (index !== undefined) latestAt.set(index, call);
    },

    calls: () =>
      withUniqueIds(calls).map((call, position): ToolCallPart => {
        const extra = calls[position]?.extra;
        return {
          type: 'tool-call',
          ...call,
          ...(isRecord(extra) && { provider: kept({ extra_content: extra }) }),
        };
      }),
  };
};

interface Fragment {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly extra: unknown;
}

type OpenCall = { -readonly [Key in keyof RequestedCall]: RequestedCall[Key] } & { extra: unknown };

const readFragment = (fragment: unknown): Fragment => {
  if (!isRecord(fragment)) throw invalidReply("The model's reply holds a tool call that is not an object.");
  const index = fragment.index ?? undefined;
  if (index !== undefined && typeof index !== 'number') {
    throw invalidReply("The model's reply holds a tool call whose 'index' is not a number.");
  }
  const called = fragment.function ?? {};
  if (!isRecord(called))
    throw invalidReply("The model's reply holds a tool call whose 'function' is not an object.");
  return {
    index,
    id: stringOf(fragment, 'id'),
    name: stringOf(called, 'name'),
    input: stringOf(called, 'arguments'),
    extra: fragment.extra_content,
  };
};

/**
 * Some servers omit `index`, or send each whole call under index 0. A fragment that names a tool opens another call when
 * its id or name differ, or when more input can only belong elsewhere because the open call's is complete.
 */
const opensAnother = (open: OpenCall, { id, name, input }: Fragment): boolean => {
  if (name === '') return false;
  if (id !== '' && open.id !== '' && id !== open.id) return true;
  if (open.name !== '' && name !== open.name) return true;
  return input.trim() !== '' && isJsonObjectText(open.input);
};
