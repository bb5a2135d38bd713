import { it } from 'vitest';
import * as v from 'valibot';
import { toJsonSchema } from '@valibot/to-json-schema';
import { z } from 'zod';
import * as zm from 'zod/mini';
import { type } from 'arktype';
it('x', async () => {
  const log=(n:string,x:unknown)=>console.log(n, JSON.stringify(x));
  const o = v.object({a: v.pipe(v.string(), v.transform(Number)), b: v.optional(v.number(), 3), items: v.array(v.object({quantity: v.number()})), c: v.optional(v.string())});
  log('valibot', toJsonSchema(o, {typeMode:'input', errorMode:'ignore'}));
  log('valibot2', toJsonSchema(v.object({d:v.date(), bi: v.bigint()}), {typeMode:'input', errorMode:'ignore'}));
  log('valibot3', toJsonSchema(v.pipe(v.object({d:v.string()}), v.transform((x)=>x.d)), {typeMode:'input', errorMode:'ignore'}));
  type N = {n?: N|undefined}; const rec: v.GenericSchema<N> = v.object({n: v.optional(v.lazy(()=>rec))});
  log('valibotrec', toJsonSchema(rec, {typeMode:'input', errorMode:'ignore'}));
  log('valibotv', toJsonSchema(v.variant('t', [v.object({t:v.literal('a')}), v.object({t:v.literal('b')})]), {typeMode:'input', errorMode:'ignore'}));
  log('vb', await o['~standard'].validate({a:1, items:[{quantity:'two'}]}));
  log('vb strict', await v.strictObject({a:v.string()})['~standard'].validate({a:'x', z:1}));
  const zo = z.object({a: z.string(), b: z.number().default(3), items: z.array(z.object({quantity: z.number()}))});
  log('zodstd', Object.keys(zo['~standard'])); 
  log('zod', zo['~standard'].jsonSchema.input({target:'draft-2020-12'}));
  log('zodv', await zo['~standard'].validate({a:1, items:[{quantity:'two'}]}));
  try { log('zoddate', z.object({d:z.date()})['~standard'].jsonSchema.input({target:'draft-2020-12'})); } catch(e) {console.log('zd', String(e))}
  try { log('zodparse', await zo['~standard'].validate({a:'q', items:[{quantity:2}]})); } catch(e) {console.log('zd', String(e))}
  log('zm', Object.keys(zm.object({a:zm.string()})['~standard']));
  try {
  const at = type({a:'string', 'b?':'number>3', items:[{quantity:'number'},'[]']});
  log('ark', typeof at+ ' '+Object.keys(at['~standard'])); 
  log('arkj', (at['~standard'] as any).jsonSchema.input({target:'draft-2020-12'}));
  log('arkv', await at['~standard'].validate({a:1, items:[{quantity:'two'}]}));
  } catch(e) {console.log('ark failed', (e as any).stack)}
});
