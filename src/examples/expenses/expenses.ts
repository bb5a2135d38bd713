import { createAnthropic } from '@ai-sdk/anthropic';
import * as v from 'valibot';
import { content, defineAgent, defineTool, image } from '../../index.ts';
import { fromAiSdk } from '../../model/ai-sdk/entry.ts';
import { drawBarChart } from './bar-chart.ts';

const drawChart = defineTool({
  name: 'draw_chart',
  description: 'Draws amounts as a bar chart, in their order.',
  input: v.object({ amounts: v.pipe(v.array(v.number()), v.minLength(1), v.maxLength(40)) }),
  effect: 'read',
  async run({ amounts }) {
    const png = await drawBarChart(amounts);
    return content([`A chart of ${amounts.length} amounts:`, image(png, 'image/png', 'chart.png')]);
  },
});

export const expenses = defineAgent({
  name: 'expenses',
  description: 'Reads receipts, and draws what was spent.',
  instructions:
    'Read the receipts that you are sent, and add them up. Look at each chart before you show it.',
  accepts: ['image/png', 'image/jpeg', 'application/pdf'], // defaults to images, PDF and text that the model accepts
  tools: [drawChart],
  model: (env) => fromAiSdk(createAnthropic({ apiKey: String(env.ANTHROPIC_API_KEY) })('claude-sonnet-4-5')),
});
