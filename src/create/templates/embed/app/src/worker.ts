import { Hono } from 'hono';

const app = new Hono();

app.get('/', (c) => c.text('The shop. Its clerk is at /ai.'));

export default app;
