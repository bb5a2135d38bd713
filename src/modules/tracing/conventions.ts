/**
 * Names from the semantic conventions for generative AI (open-telemetry/semantic-conventions-genai 0.1.0),
 * and of our own attributes.
 */

/** A value of an attribute. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Attributes by name. Undefined attributes are omitted. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** The provider name for models whose name does not show the provider. */
const UNKNOWN_NAME = 'unknown';

/** A part of a provider or model name in the journal, and the name of the provider in the conventions. */
const PROVIDER_NAMES: readonly (readonly [part: string, provider: string])[] = [
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

/** Returns the provider's name in the conventions, from the model and provider names in the journal. */
export function toProviderName({ model = '', provider = '' }: { model?: string; provider?: string }): string {
  const names = [provider, model].map((name) => name.toLowerCase());
  for (const name of names) for (const [part, known] of PROVIDER_NAMES) if (name.includes(part)) return known;
  return provider || UNKNOWN_NAME;
}
