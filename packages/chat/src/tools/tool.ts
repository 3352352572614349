import type { Tools } from '@mcpl-bridges/producer';
import { TOOL_CLASS_META, type ToolClass } from '@mcpl-bridges/protocol';
import { z } from 'zod';
import { SendRefused } from '../platform.js';

type McpTool = ReturnType<Tools['list']>[number];
type McpResult = Awaited<ReturnType<Tools['call']>>;

/** A file that an answer speaks of. */
export interface FileLink {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  /** Bytes. */
  readonly size: number;
}

/** What a tool says: a text for the model, and the same as data where its `output` says so. */
export type ToolAnswer =
  | string
  | {
      readonly text: string;
      readonly data: Readonly<Record<string, unknown>>;
      readonly links?: readonly FileLink[];
    };

/** The feature sets that tools belong to, without the platform's name. */
type ToolSet = 'messaging' | 'channels' | 'history' | 'subscriptions';

/** A tool: what it is called, what it takes, what it does. `run` answers, or throws a sentence. */
export interface ChatTool<S extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly classes: readonly [ToolClass, ...ToolClass[]];
  readonly input: S;
  /** The feature set it belongs to: hosts that do not want that do without the tool. Absent: it is always there. */
  readonly featureSet?: ToolSet;
  /** The shape of `data`. */
  readonly output?: z.ZodObject;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
  };
  run(args: z.infer<S>): Promise<ToolAnswer>;
}

/** Keeps the type of a tool's arguments while a list of tools forgets them. */
export const tool = <S extends z.ZodObject>(definition: ChatTool<S>): ChatTool => definition as unknown as ChatTool;

/** Hints for tools that look, add, change for good, and mark. */
export const HINTS = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  marks: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
} as const;

/** The tool did not do what was asked; the message is for the model. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

const failed = (text: string): McpResult => ({ content: [{ type: 'text', text }], isError: true });

const answered = (answer: ToolAnswer): McpResult =>
  typeof answer === 'string'
    ? { content: [{ type: 'text', text: answer }] }
    : {
        content: [
          { type: 'text', text: answer.text },
          ...(answer.links ?? []).map((link) => ({ type: 'resource_link' as const, ...link })),
        ],
        structuredContent: { ...answer.data },
      };

const schemaOf = (schema: z.ZodObject): McpTool['inputSchema'] => {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema);
  return json as McpTool['inputSchema'];
};

const describe = (one: ChatTool): McpTool => ({
  name: one.name,
  description: one.description,
  inputSchema: schemaOf(one.input),
  ...(one.output ? { outputSchema: schemaOf(one.output) } : {}),
  annotations: { title: one.name.replaceAll('_', ' '), ...one.annotations, openWorldHint: true },
  _meta: { [TOOL_CLASS_META]: [...one.classes] },
});

/** Tools as an MCP server serves them: bad arguments and failures come back as text the model can act on. */
export const toolbox = (platformName: string, tools: readonly ChatTool[]): Tools => {
  const byName = new Map(tools.map((one) => [one.name, one]));
  const described = tools.map(describe);
  return {
    list: () => described,
    featureSetOf: (name) => {
      const set = byName.get(name)?.featureSet;
      return set === undefined ? undefined : `${platformName}.${set}`;
    },
    call: async (name, args) => {
      const named = byName.get(name);
      if (!named) return failed(`there is no tool ${name}`);
      const parsed = named.input.safeParse(args);
      if (!parsed.success) {
        const issue = parsed.error.issues[0];
        return failed(`${issue?.path.join('.') || 'arguments'}: ${issue?.message ?? 'not valid'}`);
      }
      try {
        return answered(await named.run(parsed.data));
      } catch (error) {
        if (error instanceof ToolFailure || error instanceof SendRefused) return failed(error.message);
        throw error;
      }
    },
  };
};
