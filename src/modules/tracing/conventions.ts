/**
 * Names of the semantic conventions for generative AI, and of our own attributes beside them. Of version 0.1.0
 * of open-telemetry/semantic-conventions-genai.
 */

/** A value of an attribute. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Attributes by name. An undefined one is left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** The provider of a model whose name does not show it. */
const UNKNOWN = 'unknown';

/** A part of a provider's or a model's name in our journal, and the name of its provider in the conventions. */
const PROVIDERS: readonly (readonly [part: string, provider: string])[] = [
  ['azure', 'azure.ai.openai'],
  ['bedrock', 'aws.bedrock'],
  ['vertex', 'gcp.vertex_ai'],
  ['@cf/', 'cloudflare.workers_ai'],
  ['workers-ai', 'cloudflare.workers_ai'],
  ['anthropic', 'anthropic'],
  ['claude', 'anthropic'],
  ['deepseek', 'deepseek'],
  ['gemini', 'gcp.gemini'],
  ['generative', 'gcp.gemini'],
  ['google', 'gcp.gen_ai'],
  ['groq', 'groq'],
  ['mistral', 'mistral_ai'],
  ['moonshot', 'moonshot_ai'],
  ['kimi', 'moonshot_ai'],
  ['perplexity', 'perplexity'],
  ['watsonx', 'ibm.watsonx.ai'],
  ['cohere', 'cohere'],
  ['x.ai', 'x_ai'],
  ['xai', 'x_ai'],
  ['grok', 'x_ai'],
  ['openai', 'openai'],
  ['gpt-', 'openai'],
];

/** Returns the conventions' name of the provider of a model, from the names that the journal has. */
export function providerName({ model = '', provider = '' }: { model?: string; provider?: string }): string {
  const names = [provider, model].map((name) => name.toLowerCase());
  for (const name of names) for (const [part, known] of PROVIDERS) if (name.includes(part)) return known;
  return provider || UNKNOWN;
}
