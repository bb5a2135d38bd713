/** Tests lists that pages keep up to date, without React and in server rendering. */
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createIndexClient } from '../../../../src/client/entry.ts';
import { useInbox, useSessions } from '../../../../src/client/react/lists/entry.ts';
import { LiveList } from '../../../doors/client.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(0);

function createList(pages: () => readonly (readonly string[])[]) {
  const asked: (string | undefined)[] = [];
  const list = new LiveList<string>(async (cursor) => {
    asked.push(cursor);
    const at = Number(cursor ?? 0);
    return { entries: pages()[at] ?? [], next: at + 1 < pages().length ? String(at + 1) : null };
  }, 5_000);
  return { list, asked };
}

it('a list is read at intervals only while it has subscribers', async () => {
  let pages = [['a']];
  const { list, asked } = createList(() => pages);
  expect(list.getSnapshot()).toEqual({ entries: [], isLoading: true, hasMore: false, error: undefined });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual([]);
  const leave = list.subscribe(() => {});
  const leaveToo = list.subscribe(() => {});
  await settle();
  expect(list.getSnapshot()).toEqual({ entries: ['a'], isLoading: false, hasMore: false, error: undefined });
  pages = [['b', 'a']];
  await vi.advanceTimersByTimeAsync(5_000);
  expect(list.getSnapshot().entries).toEqual(['b', 'a']);
  leave();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toHaveLength(3);
  leaveToo();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(3);
});

it('a list loads more entries on request, and then refreshes all of them', async () => {
  const { list, asked } = createList(() => [['a'], ['b'], ['c']]);
  const leave = list.subscribe(() => {});
  await settle();
  expect(list.getSnapshot()).toMatchObject({ entries: ['a'], hasMore: true });
  await list.more();
  expect(list.getSnapshot()).toMatchObject({ entries: ['a', 'b'], hasMore: true });
  await list.more();
  await list.more();
  expect(list.getSnapshot()).toMatchObject({ entries: ['a', 'b', 'c'], hasMore: false });
  asked.length = 0;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toEqual([undefined, '1', '2']);
  leave();
});

it('a list reports an error, keeps its entries, and continues to refresh', async () => {
  let fails = false;
  const { list } = createList(() => {
    if (fails) throw new Error('gone');
    return [['a']];
  });
  const leave = list.subscribe(() => {});
  await settle();
  fails = true;
  await list.refresh();
  expect(list.getSnapshot()).toMatchObject({ entries: ['a'], isLoading: false, error: new Error('gone') });
  fails = false;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(list.getSnapshot()).toMatchObject({ entries: ['a'], error: undefined });
  leave();
});

it('a list is empty and makes no requests when a server renders the page', () => {
  let asked = 0;
  const index = createIndexClient({
    url: 'https://agents.test',
    fetch: async () => {
      asked += 1;
      return new Response();
    },
  });
  const Page = () => {
    const { entries, isLoading } = useSessions({ index, agent: 'desk' });
    const inbox = useInbox({ url: 'https://agents.test', token: 'of-the-user' });
    return createElement('p', null, JSON.stringify([entries, isLoading, inbox.entries]));
  };
  expect(renderToString(createElement(Page))).toBe('<p>[[],true,[]]</p>');
  expect(asked).toBe(0);
});
