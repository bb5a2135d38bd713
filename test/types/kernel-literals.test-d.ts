/**
 * The shapes of the kernel's literals must have exactly the keys of their types, so that a new key is added
 * to both.
 */
import { expectTypeOf } from 'vitest';
import type {
  AnswerOptions,
  AnswersOptions,
  AnswersStreamOptions,
  EventsOptions,
  FollowOptions,
  HoldfastConfig,
  HttpConfig,
  MessageOptions,
  SessionOptions,
  StreamOptions,
} from '../../src/create-holdfast.ts';
import type {
  AgentConfig,
  AgentLimits,
  AgentSettings,
  BlankReplyPolicy,
  DomainTypeConfig,
  Json,
  Policies,
  ToolConfig,
  UnknownToolPolicy,
} from '../../src/index.ts';
import type { ModuleConfig, ModuleParts, ModuleRoute, StateConfig } from '../../src/module.ts';
import type { INNER_SHAPES, LITERAL_SHAPES } from '../doors/tools.ts';

type ShapeKeys = { [Of in keyof typeof LITERAL_SHAPES]: keyof (typeof LITERAL_SHAPES)[Of]['keys'] };

expectTypeOf<ShapeKeys>().toEqualTypeOf<{
  readonly defineTool: keyof ToolConfig<string, undefined, unknown>;
  readonly defineDomainType: keyof DomainTypeConfig<string, never>;
  readonly defineModule: keyof ModuleConfig | 'state';
  readonly 'the state of a module': keyof StateConfig<Json, Json>;
  readonly defineRoute: keyof ModuleRoute;
  readonly 'the parts of a module': keyof ModuleParts;
  readonly defineAgent: keyof AgentConfig<string>;
  readonly createHoldfast: keyof HoldfastConfig;
  readonly sessionOf: keyof SessionOptions;
  readonly 'session.send': keyof MessageOptions;
  readonly 'session.decide': keyof AnswerOptions;
  readonly 'session.result': keyof AnswerOptions;
  readonly 'session.answer': keyof AnswersOptions;
  readonly 'session.stream': keyof StreamOptions;
  readonly 'session.streamAnswers': keyof AnswersStreamOptions;
  readonly 'session.follow': keyof FollowOptions;
  readonly 'session.events': keyof EventsOptions;
}>();

type InnerKeys = { [Of in keyof typeof INNER_SHAPES]: UnionKeys<(typeof INNER_SHAPES)[Of]['keys']> };

type UnionKeys<Keys> = Keys extends readonly (infer Key)[] ? Key : keyof Keys;

expectTypeOf<InnerKeys>().toEqualTypeOf<{
  readonly http: keyof HttpConfig;
  readonly limits: keyof AgentLimits;
  readonly policies: keyof Policies;
  readonly unknownTools: keyof UnknownToolPolicy;
  readonly blankReplies: keyof BlankReplyPolicy;
  readonly settings: keyof AgentSettings;
}>();
