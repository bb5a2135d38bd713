import { inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { drawBarChart } from '../../../../src/examples/expenses/bar-chart.ts';
import { expenses } from '../../../../src/examples/expenses/expenses.ts';
import type { ChatModel } from '../../../../src/index.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { createTestSession, scriptedModel } from '../../../../src/testing/entry.ts';

/** A scripted model that accepts images where Claude does. */
const createClaudeModel = (...replies: Parameters<typeof scriptedModel>[0]): ChatModel => {
  const images = { data: ['image/*'], url: [] };
  return { ...scriptedModel(replies), media: { message: images, result: images } };
};

it('the expenses agent reads a receipt and sees the chart that it draws', async () => {
  const calls = [{ name: 'draw_chart', input: { amounts: [12, 30, 4.5] } }];
  const session = createTestSession(expenses, {
    use: [files()],
    model: createClaudeModel({ calls }, 'You spent 46.50.'),
  });
  const receipt = { type: 'file', mediaType: 'image/png', bytes: await drawBarChart([46.5]) } as const;
  const answer = await session.send([{ type: 'text', text: 'What did I spend?' }, receipt]);
  expect(answer).toMatchObject({
    text: 'You spent 46.50.',
    files: [{ tool: 'draw_chart', mediaType: 'image/png', name: 'chart.png' }],
  });
  const chart = await drawBarChart([12, 30, 4.5]);
  expect(await session.file(answer.files?.[0]?.id ?? '')).toEqual(chart);
  const [, second] = session.requests;
  expect(
    second?.messages.map((message) => [message.role, 'parts' in message && message.parts?.length]),
  ).toEqual([
    ['system', false],
    ['user', 3],
    ['assistant', false],
    ['tool', 3],
  ]);
  expect(second?.messages.at(-1)).toMatchObject({
    parts: [
      { type: 'text', text: 'A chart of 3 amounts:' },
      { type: 'text' },
      { type: 'file', mediaType: 'image/png', data: Buffer.from(chart).toString('base64') },
    ],
  });
});

it('the chart of expenses has bars in proportion to the amounts, and the largest bar fills the height', async () => {
  const png = Buffer.from(await drawBarChart([50, 100, 0]));
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  const width = png.readUInt32BE(16);
  expect([width, png.readUInt32BE(20)]).toEqual([64, 100]);
  const length = png.readUInt32BE(33);
  const rows = inflateSync(png.subarray(41, 41 + length));
  const dark = [8, 28, 48].map((x) => {
    const column = Array.from({ length: 100 }, (_, y) => rows[y * (width + 1) + 1 + x]);
    return column.filter((value) => value === 64).length;
  });
  expect(dark).toEqual([50, 100, 0]);
});
