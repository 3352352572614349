import type { Tools } from '@mcpl-bridges/producer';
import { TOOL_CLASS_META, type ToolClass } from '@mcpl-bridges/protocol';
import { z } from 'zod';

type McpTool = ReturnType<Tools['list']>[number];
type McpResult = Awaited<ReturnType<Tools['call']>>;

/** A tool: what it is called, what it takes, what it does. `run` returns a sentence, or throws one. */
export interface ChatTool<S extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly classes: readonly [ToolClass, ...ToolClass[]];
  readonly input: S;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
  };
  run(args: z.infer<S>): Promise<string>;
}

/** The tool did not do what was asked; the message is for the model. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

const result = (text: string, isError: boolean): McpResult => ({
  content: [{ type: 'text', text }],
  ...(isError ? { isError } : {}),
});

const describe = (tool: ChatTool): McpTool => {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(tool.input);
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: inputSchema as McpTool['inputSchema'],
    annotations: { title: tool.name.replaceAll('_', ' '), ...tool.annotations, openWorldHint: true },
    _meta: { [TOOL_CLASS_META]: [...tool.classes] },
  };
};

/** Tools as an MCP server serves them: bad arguments and failures come back as text the model can act on. */
export const toolbox = (tools: readonly ChatTool[]): Tools => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const described = tools.map(describe);
  return {
    list: () => described,
    call: async (name, args) => {
      const tool = byName.get(name);
      if (!tool) return result(`there is no tool ${name}`, true);
      const parsed = tool.input.safeParse(args);
      if (!parsed.success) {
        const issue = parsed.error.issues[0];
        return result(`${issue?.path.join('.') || 'arguments'}: ${issue?.message ?? 'not valid'}`, true);
      }
      try {
        return result(await tool.run(parsed.data), false);
      } catch (error) {
        if (error instanceof ToolFailure) return result(error.message, true);
        throw error;
      }
    },
  };
};
